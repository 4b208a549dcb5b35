import { connect, isIP, type LookupFunction, type Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Clock } from '../../base/clock.ts'
import { isLocalName } from '../../domain/url/local-host.ts'
import type { DnsCache } from './dns-cache.ts'
import { connectFailure, FailureError, networkFailure, refusal } from './failure.ts'
import { openTunnel } from './http-tunnel.ts'
import { type PrivateAccess, permittedAddresses } from './permitted-addresses.ts'
import { forwardsRequests, type WebProxy } from './proxy.ts'
import type { ResolvedAddress } from './resolve.ts'
import { socketEvent } from './socket-event.ts'
import { socks5Connect, socks5Greet } from './socks5-connect.ts'
import type { TlsConnector } from './tls-connect.ts'

export interface DialTarget {
  /** A name or an address literal, without brackets. */
  readonly host: string
  readonly port: number
  readonly secure: boolean
  /** Whether HTTP/2 is offered when `secure`. */
  readonly http2: boolean
  /** @default direct */
  readonly proxy?: WebProxy | undefined
}

/** An open connection. */
export interface Dialled {
  readonly socket: Socket | TLSSocket
  /** The address connected to: that of the host or of the proxy. */
  readonly address: string
  /** When the name had an address (ms since the epoch); absent without a lookup. */
  readonly resolvedAt?: number
  readonly connectedAt: number
}

export interface DialerOptions {
  readonly clock: Clock
  readonly dns: DnsCache
  readonly tls: TlsConnector
  /** Hosts that may have addresses which are not globally routable. */
  readonly allowPrivateHosts: (host: string) => PrivateAccess
  /** For everything between the address and the finished handshake. */
  readonly connectTimeoutMs: number
}

/** Time until Node.js tries the next address of a host; it does not return to the earlier one. */
const NEXT_ADDRESS_AFTER_MS = 1_000

/**
 * Opens all connections. Addresses are checked here, whatever a URL, a redirect or a name server says, and the connection
 * is made to a checked address without another lookup.
 */
export class Dialer {
  readonly #options: DialerOptions

  constructor(options: DialerOptions) {
    this.#options = options
  }

  /** Rejects with a `FailureError`, or with the reason of `signal`. */
  async dial(target: DialTarget, signal: AbortSignal): Promise<Dialled> {
    const { clock, tls, connectTimeoutMs } = this.#options
    const { host, secure, http2, proxy } = target
    const known = this.#knownAddresses(host, proxy)
    const addresses = known ?? (await this.#lookUpAddresses(host, proxy))
    const resolvedAt = known === undefined ? clock.now() : undefined
    const permitted = permittedAddresses(host, addresses, this.#options.allowPrivateHosts)
    if (proxy?.resolve === 'proxy') this.#checkName(host)

    const timeout = new AbortController()
    // While it is not connected to the proxy, the host has not been tried.
    let cause: 'proxy' | 'connect-timeout' = proxy === undefined ? 'connect-timeout' : 'proxy'
    const cancel = clock.after(connectTimeoutMs, () =>
      timeout.abort(networkFailure(cause, `no connection in ${connectTimeoutMs} ms`)),
    )
    const limit = AbortSignal.any([signal, timeout.signal])
    try {
      let plain: Socket
      if (proxy === undefined) plain = await connectTcp(host, target.port, permitted, limit)
      else {
        const toProxy = await this.#reachProxy(proxy, limit)
        cause = 'connect-timeout'
        plain = await joinThrough(toProxy, proxy, target, permitted, limit)
      }
      const address = plain.remoteAddress ?? ''
      const socket = secure ? await tls.connect(plain, host, http2, limit) : plain
      const dialled = { socket, address, connectedAt: clock.now() }
      return resolvedAt === undefined ? dialled : { ...dialled, resolvedAt }
    } finally {
      cancel()
    }
  }

  /** Addresses known without a lookup: a literal, a name in the cache, none if the proxy resolves. */
  #knownAddresses(host: string, proxy: WebProxy | undefined): readonly ResolvedAddress[] | undefined {
    const family = isIP(host)
    if (family !== 0) return [{ address: host, family: family === 6 ? 6 : 4 }]
    if (proxy?.resolve === 'proxy') return []
    const cached = this.#options.dns.peek(host)
    return cached?.ok ? cached.addresses : undefined
  }

  async #lookUpAddresses(host: string, proxy?: WebProxy): Promise<readonly ResolvedAddress[]> {
    const resolution = await this.#options.dns.resolve(host)
    if (resolution.ok && resolution.addresses.length > 0) return resolution.addresses
    const fault = resolution.ok ? 'no address' : resolution.detail
    // Only the operating system may know the name, and it is used for allowed hosts alone.
    const detail =
      isLocalName(host) && !this.#options.allowPrivateHosts(host)
        ? `${fault}; a name of a local network needs --allow-host ${host}`
        : proxy === undefined
          ? fault
          : `${fault}; if only the proxy can resolve names, set resolve of http.proxy to 'proxy'`
    throw networkFailure(
      !resolution.ok && resolution.reason === 'failed' ? 'dns-failed' : 'dns-not-found',
      `${host}: ${detail}`,
    )
  }

  /** Only the proxy knows the addresses of a name; but some names are never public. */
  #checkName(host: string): void {
    if (isIP(host) !== 0 || !isLocalName(host) || this.#options.allowPrivateHosts(host)) return
    throw refusal('address', `${host} is a name of a local network; --allow-host ${host} permits it`)
  }

  /** Whether the proxy accepts a connection; SOCKS5 with its user. Rejects with a `FailureError`. */
  async probe(proxy: WebProxy, signal: AbortSignal): Promise<void> {
    const { clock, connectTimeoutMs } = this.#options
    const timeout = new AbortController()
    const cancel = clock.after(connectTimeoutMs, () =>
      timeout.abort(networkFailure('proxy', `no connection in ${connectTimeoutMs} ms`)),
    )
    const limit = AbortSignal.any([signal, timeout.signal])
    try {
      const socket = await this.#reachProxy(proxy, limit)
      const greeted = proxy.scheme === 'socks5' ? socks5Greet(socket, proxy.user) : Promise.resolve()
      await untilAborted(socket, greeted, limit)
      socket.destroy()
    } finally {
      cancel()
    }
  }

  /** The proxy is the operator's: any address is allowed, but the certificate of an https proxy is checked. */
  async #reachProxy(proxy: WebProxy, signal: AbortSignal): Promise<Socket> {
    try {
      const socket = await connectTcp(proxy.host, proxy.port, undefined, signal)
      return proxy.scheme === 'https'
        ? await this.#options.tls.connect(socket, proxy.host, false, signal)
        : socket
    } catch (error) {
      if (signal.aborted) throw error
      throw networkFailure(
        'proxy',
        `the proxy cannot be reached: ${error instanceof Error ? error.message : error}`,
      )
    }
  }
}

/** Has the proxy connect `socket` to the checked address of the target; to its name if the proxy resolves names. */
async function joinThrough(
  socket: Socket,
  proxy: WebProxy,
  { host, port, secure }: DialTarget,
  [pinned]: readonly ResolvedAddress[],
  signal: AbortSignal,
): Promise<Socket> {
  if (!secure && forwardsRequests(proxy)) return socket
  const goal = proxy.resolve === 'local' ? (pinned?.address ?? host) : host
  const joined =
    proxy.scheme === 'socks5'
      ? socks5Connect(socket, proxy.user, goal, port)
      : openTunnel(socket, proxy, goal, port)
  await untilAborted(socket, joined, signal)
  return socket
}

/** Waits for a handshake on `socket`; destroys the socket if the handshake fails or `signal` is aborted. */
async function untilAborted(socket: Socket, handshake: Promise<void>, signal: AbortSignal): Promise<void> {
  const hangUp = (): void => void socket.destroy()
  signal.addEventListener('abort', hangUp)
  try {
    await handshake
  } catch (error) {
    socket.destroy()
    throw signal.aborted ? signal.reason : error
  } finally {
    signal.removeEventListener('abort', hangUp)
  }
}

/** Connects to the first of `addresses` that responds, taking turns between the families; to what `host` resolves to when there are none. */
async function connectTcp(
  host: string,
  port: number,
  addresses: readonly ResolvedAddress[] | undefined,
  signal: AbortSignal,
): Promise<Socket> {
  const socket = connect({
    host,
    port,
    ...(addresses === undefined ? {} : { lookup: fixedLookup(addresses) }),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
    noDelay: true,
  })
  try {
    await socketEvent(socket, 'connect', signal)
  } catch (error) {
    socket.destroy()
    if (signal.aborted) throw signal.reason
    throw error instanceof FailureError ? error : connectFailure(error)
  }
  return socket
}

/** A lookup that returns only checked addresses. An address literal is not looked up. */
function fixedLookup(addresses: readonly ResolvedAddress[]): LookupFunction {
  return (_host, options, response) => {
    const [first] = addresses
    if (options.all) response(null, [...addresses])
    else response(null, first?.address ?? '', first?.family)
  }
}
