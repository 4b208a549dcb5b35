import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { steadyClock } from '../src/base/clock.ts'
import { FakeDns } from './fake-dns.ts'
import { Judge } from './judge.ts'
import { bodyRoutes } from './misbehaving-web/bodies.ts'
import { charsetRoutes } from './misbehaving-web/charsets.ts'
import { serveConnection } from './misbehaving-web/connection.ts'
import { connectionFaults } from './misbehaving-web/connection-faults.ts'
import type { Exchange, Response, WebRequest } from './misbehaving-web/exchange.ts'
import { framingRoutes } from './misbehaving-web/framing.ts'
import { headerRoutes } from './misbehaving-web/headers.ts'
import { redirectRoutes } from './misbehaving-web/redirects.ts'
import { robotsSites } from './misbehaving-web/robots-sites.ts'
import type { Routes } from './misbehaving-web/route.ts'
import { createSecureWeb } from './misbehaving-web/secure-web.ts'
import { statusRoutes } from './misbehaving-web/statuses.ts'
import { trapSites } from './misbehaving-web/trap-sites.ts'

export interface MisbehavingWebOptions {
  /** Addresses to listen on, from 127.0.0.1 up; names are dealt out over them. More than one needs Linux. @default 1 */
  readonly addresses?: number
  /** @default a judge on the steady clock */
  readonly judge?: Judge
}

/** A site that a test defines: a response for every path, or one for all. */
export type Site = Response | Readonly<Record<string, Response>>

/** Every way to misbehave, by path; any host that is not a site of its own serves them. */
export const routes: Routes = {
  ...framingRoutes,
  ...headerRoutes,
  ...bodyRoutes,
  ...charsetRoutes,
  ...statusRoutes,
  ...redirectRoutes,
}

/** Hosts that misbehave as a whole. */
export const sites: Routes = { ...robotsSites, ...trapSites }

/** Starts the web on free ports of loopback. The caller closes it. */
export async function startMisbehavingWeb(options: MisbehavingWebOptions = {}): Promise<MisbehavingWeb> {
  const { addresses = 1, judge = new Judge(steadyClock) } = options
  const web = new MisbehavingWeb(judge, addresses)
  await web.listen()
  return web
}

/** Many hosts, of which each name ending in `.test` is one, all served by this process and watched by one judge. */
export class MisbehavingWeb {
  readonly judge: Judge
  /** Gives every `.test` name one of this web's addresses; a test may give names other responses. */
  readonly dns: FakeDns
  readonly #addresses: readonly string[]
  readonly #own = new Map<string, Site>()
  readonly #servers = new Map<string, Server>()
  readonly #sockets = new Set<Socket>()
  readonly #connections = new Map<string, number>()
  readonly #accept = (socket: Socket): void =>
    serveConnection(socket, this.judge, (exchange) => this.#response(exchange))
  readonly #secure = createSecureWeb(this.#accept)

  constructor(judge: Judge, addresses: number) {
    this.judge = judge
    this.#addresses = Array.from({ length: addresses }, (_, i) => `127.0.0.${i + 1}`)
    this.dns = new FakeDns(this.#addresses)
  }

  /** The authority that signed the good certificate (PEM). */
  get ca(): string {
    return this.#secure.ca
  }

  /** `http://host:port`, without a slash at the end; append the path of a route. */
  origin(host: string): string {
    return `http://${host}:${port(this.#servers.get(host) ?? this.#servers.get('plain'))}`
  }

  /** The same over TLS, which is spoken on the first address alone. `silent.test` is silent here too. */
  secureOrigin(host: string): string {
    this.dns.set(host, this.#addresses.slice(0, 1))
    return `https://${host}:${port(this.#servers.get(host) ?? this.#servers.get('secure'))}`
  }

  /** A misbehaving route, with a query if it takes one, on a host that has them all. */
  url(path: string): string {
    const [name = ''] = path.split('?')
    if (!(name in routes)) throw new Error(`there is no route ${name}`)
    return `${this.origin('faults.test')}${path}`
  }

  /** Number of connections to a host with its own port; the judge does not see these. */
  connectionsTo(host: string): number {
    return this.#connections.get(host) ?? 0
  }

  /** Serves a site on `host`, and returns its origin. */
  serve(host: string, site: Site): string {
    this.#own.set(host, site)
    return this.origin(host)
  }

  /** @internal Called once, by `startMisbehavingWeb`. */
  async listen(): Promise<void> {
    await this.#listenEverywhere()
    const [first = '127.0.0.1'] = this.#addresses
    await this.#listen('secure', this.#secure.server, 0, first)
    for (const [host, fault] of Object.entries(connectionFaults)) {
      const server = createServer((socket) => {
        socket.on('error', () => {})
        fault.accept(socket)
      })
      await this.#listen(host, server, 0, first)
      this.dns.set(host, [first])
    }
  }

  /** Cuts every connection and stops listening. */
  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await Promise.all([...this.#servers.values()].map((server) => once(server.close(), 'close')))
  }

  /** One port on every address. A port that is free on the first may be taken on another: then all is tried again. */
  async #listenEverywhere(attemptsLeft = 5): Promise<void> {
    const [first = '127.0.0.1', ...others] = this.#addresses
    const plain = await this.#listen('plain', createServer(this.#accept), 0, first)
    try {
      for (const address of others)
        await this.#listen(address, createServer(this.#accept), port(plain), address)
    } catch (error) {
      await this.close()
      this.#servers.clear()
      if (attemptsLeft === 0) throw error
      await this.#listenEverywhere(attemptsLeft - 1)
    }
  }

  async #listen(name: string, server: Server, onPort: number, address: string): Promise<Server> {
    // Not 'secureConnection': a handshake that never ends has a socket too.
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket)
      this.#connections.set(name, (this.#connections.get(name) ?? 0) + 1)
      socket.once('close', () => this.#sockets.delete(socket))
    })
    await once(server.listen(onPort, address), 'listening')
    this.#servers.set(name, server)
    return server
  }

  #response(exchange: Exchange): void | Promise<void> {
    const response = this.#responseFor(exchange.request)
    return response ? response(exchange) : exchange.reply({ status: 404, body: 'not found' })
  }

  #responseFor({ host, path }: WebRequest): Response | undefined {
    const site = this.#own.get(host) ?? sites[host]?.response
    if (typeof site === 'function') return site
    return site === undefined ? routes[path]?.response : site[path]
  }
}

function port(server: Server | undefined): number {
  if (server === undefined) throw new Error('the web is not listening')
  return (server.address() as AddressInfo).port
}
