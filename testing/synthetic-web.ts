import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createListener, type Server, type Socket } from 'node:net'
import { steadyClock } from '../src/base/clock.ts'
import type { Hit } from './judge/hit.ts'
import { Judge } from './judge.ts'
import { type Expectation, expectedCrawl } from './synthetic-web/expected-crawl.ts'
import { addressOf, OUTSIDERS, planSites, type WebPlan } from './synthetic-web/plan-sites.ts'
import { renderResource } from './synthetic-web/render-resource.ts'
import type { Resource } from './synthetic-web/resource.ts'
import type { SyntheticSite } from './synthetic-web/synthetic-site.ts'

/** Starts a web of many sites, each at an address of its own on this machine, all on one port. Linux only. */
export async function startSyntheticWeb(plan: WebPlan): Promise<SyntheticWeb> {
  const web = new SyntheticWeb(plan)
  await web.listen()
  return web
}

/**
 * A web that is a function of its plan: what is at a URL follows from the URL, and so does what a polite crawler must find. It has
 * editions: in each, some pages differ, and conditional requests tell so.
 */
export class SyntheticWeb {
  readonly judge = new Judge(steadyClock)
  readonly sites = new Map<string, SyntheticSite>()
  /** Every request since the last `reset()`; `conditional`: with a validator. */
  readonly requested: Array<{ readonly url: string; readonly conditional: boolean }> = []
  /** Counts from 1. */
  edition = 1
  /** Called with each request for a page; the resource waits for the promise. */
  hold: (url: string) => Promise<void> | undefined = () => undefined
  readonly #plan: WebPlan
  readonly #server = createServer({ keepAliveTimeout: 60_000 }, (request, response) =>
    this.#resource(request, response),
  )
  readonly #listeners: Server[] = []
  readonly #sockets = new Set<Socket>()

  constructor(plan: WebPlan) {
    this.#plan = plan
  }

  /** The front pages. */
  get seeds(): string[] {
    return [...this.sites.values()].slice(0, this.#plan.hosts).map((site) => site.urlOf(0))
  }

  /** What a crawl from these seeds, that keeps to their hosts, must come to know. */
  expected(seeds = this.seeds): Map<string, Expectation> {
    return expectedCrawl(this.sites, seeds)
  }

  /** `undefined` when there is none, or something else. */
  pageAt(url: string): Extract<Resource, { readonly kind: 'page' }> | undefined {
    const { origin, pathname, search } = new URL(url)
    const resource = this.sites.get(origin)?.resourceAt(pathname + search)
    return resource?.kind === 'page' ? resource : undefined
  }

  /** Whether it is another in each edition. */
  changes(url: string): boolean {
    return this.pageAt(url)?.changes ?? false
  }

  /** Forgets the requests so far. */
  reset(): void {
    this.judge.reset()
    this.requested.length = 0
  }

  /** @internal Called once, by `startSyntheticWeb`. */
  async listen(attempts = 5): Promise<void> {
    const year = new Date(steadyClock.now()).getUTCFullYear()
    const port = await this.#listenEverywhere(attempts)
    for (const site of planSites(this.#plan, port, year)) this.sites.set(site.plan.origin, site)
    for (const { plan } of [...this.sites.values()].slice(this.#plan.hosts))
      this.judge.disallow(plan.host, '/')
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await Promise.all(this.#listeners.splice(0).map((listener) => once(listener.close(), 'close')))
  }

  /** A port that is free at the first address may be taken at another: then all is tried again. */
  async #listenEverywhere(attempts: number): Promise<number> {
    let port = 0
    try {
      for (let site = 0; site < this.#plan.hosts + OUTSIDERS; site++) {
        const listener = createListener((socket) => this.#accept(socket))
        this.#listeners.push(listener)
        await once(listener.listen(port, addressOf(site)), 'listening')
        port ||= (listener.address() as AddressInfo).port
      }
      return port
    } catch (error) {
      this.#listeners.pop()
      await this.close()
      if (attempts <= 1) throw error
      return this.#listenEverywhere(attempts - 1)
    }
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
    this.#server.emit('connection', socket)
  }

  #resource(request: IncomingMessage, response: ServerResponse): void {
    const { host = '', 'user-agent': userAgent = '' } = request.headers
    const path = request.url ?? '/'
    const hit = this.judge.started({
      host: host.replace(/:\d+$/, ''),
      address: request.socket.localAddress ?? '',
      path,
      method: request.method ?? '',
      userAgent,
    })
    response.once('close', () => this.judge.ended(hit, { brokenOff: true }))
    const url = `http://${host}${path}`
    const conditional = 'if-none-match' in request.headers || 'if-modified-since' in request.headers
    if (this.#plan.forgetful) this.reset()
    else this.requested.push({ url, conditional })
    const held = this.hold(url)
    if (held === undefined) this.#send(url, request, response, hit)
    else void held.then(() => this.#send(url, request, response, hit))
  }

  #send(url: string, request: IncomingMessage, response: ServerResponse, hit: Hit): void {
    const { origin, pathname, search } = new URL(url)
    const site = this.sites.get(origin)
    const resource =
      site === undefined ? undefined : renderResource(site, pathname + search, this.edition, request.headers)
    if (resource === undefined) {
      this.judge.ended(hit)
      // After a part of a response: a client may send it again at once when a connection that was kept ends without a word.
      request.socket.end('HTTP/1.1 200 OK\r\nContent-')
      return
    }
    const { status, headers, body } = resource
    this.judge.ended(hit, { status, waitMs: Number(headers['retry-after'] ?? 0) * 1_000 })
    response.writeHead(status, { ...headers, 'content-length': body.length }).end(body)
  }
}
