import { isIPv4, isIPv6, type Socket } from 'node:net'
import { ConfigurationError } from '../../base/crawl-error.ts'
import type { NetworkFailureCause } from '../../domain/fetch/fetch-outcome.ts'
import { networkFailure } from './failure.ts'

export interface ProxyOptions {
  /** `http:`, `https:` or `socks5:`; user name and password in it are sent to the proxy. */
  readonly url: string
  /** Hosts connected directly: `example.org` means it and its subdomains, `*` means all. @default [] */
  readonly noProxy?: readonly string[]
  /**
   * Who turns names into addresses. `proxy`: the proxy, as is usual; then a name that stands for a private address is the proxy's
   * to refuse, and only address literals are checked here. `local`: we do, check as always, and have the proxy open a
   * tunnel to exactly that address. @default 'proxy'
   */
  readonly resolve?: 'proxy' | 'local'
}

/** A proxy whose options were understood. */
export interface WebProxy {
  readonly scheme: 'http' | 'https' | 'socks5'
  readonly host: string
  readonly port: number
  /** Decoded. */
  readonly user: { readonly name: string; readonly password: string } | undefined
  readonly resolvesNames: boolean
  /** Whether requests to `host` go through it. */
  serves(host: string): boolean
}

const DEFAULT_PORTS = { http: 80, https: 443, socks5: 1080 }

export function parseProxy(options: ProxyOptions): WebProxy {
  const url = URL.canParse(options.url) ? new URL(options.url) : undefined
  const scheme = url?.protocol.slice(0, -1)
  if (
    url === undefined ||
    url.hostname === '' ||
    (scheme !== 'http' && scheme !== 'https' && scheme !== 'socks5')
  )
    throw new ConfigurationError(
      'PROXY_INVALID',
      `proxy ${JSON.stringify(withoutUser(options.url))}: give an http://, https:// or socks5:// URL`,
    )
  const user =
    url.username === '' ? undefined : { name: decoded(url.username), password: decoded(url.password) }
  const direct = (options.noProxy ?? []).map((entry) => entry.trim().toLowerCase().replace(/^\./, ''))
  return {
    scheme,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? DEFAULT_PORTS[scheme] : Number(url.port),
    user,
    resolvesNames: options.resolve !== 'local',
    serves: (host) => !direct.some((entry) => entry === '*' || host === entry || host.endsWith(`.${entry}`)),
  }
}

/** The Proxy-Authorization header's value; `undefined` when the proxy was given without a user. */
export function proxyAuthorization({ user }: WebProxy): string | undefined {
  return user && `Basic ${Buffer.from(`${user.name}:${user.password}`).toString('base64')}`
}

/** A percent sign that encodes nothing stands for itself. */
function decoded(text: string): string {
  return decodeURIComponent(text.replace(/%(?![0-9a-f]{2})/gi, '%25'))
}

/** A password must not end up in an error message. */
function withoutUser(url: string): string {
  return url.replace(/\/\/[^/@]*@/, '//')
}

const VERSION = 5
const NO_AUTHENTICATION = 0
const USER_AND_PASSWORD = 2

/** The reply codes that concern the requested host; all others concern the proxy. */
const HOST_REPLIES: ReadonlyMap<number, readonly [cause: NetworkFailureCause, detail: string]> = new Map([
  [3, ['connect-failed', 'the proxy says: network unreachable']],
  [4, ['connect-failed', 'the proxy says: host unreachable']],
  [5, ['connect-refused', 'the proxy says: connection refused']],
  [6, ['connect-timeout', 'the proxy says: expired on the way']],
])

/** Has the SOCKS5 proxy (RFC 1928, 1929) at the other end of `socket` connect it to `host`, a name or an address literal. */
export async function socks5Connect(
  socket: Socket,
  user: WebProxy['user'],
  host: string,
  port: number,
): Promise<void> {
  socket.write(Buffer.from([VERSION, 1, user === undefined ? NO_AUTHENTICATION : USER_AND_PASSWORD]))
  const [version, method] = await read(socket, 2)
  if (version !== VERSION) throw networkFailure('proxy', 'the proxy does not speak SOCKS5')
  if (method === USER_AND_PASSWORD && user !== undefined) await authenticate(socket, user)
  else if (method !== NO_AUTHENTICATION)
    throw networkFailure('proxy', 'the proxy wants another way to log in')

  socket.write(
    Buffer.concat([Buffer.from([VERSION, 1, 0]), addressOf(host), Buffer.from([port >> 8, port & 0xff])]),
  )
  const [, reply = 1, , kind] = await read(socket, 4)
  if (reply !== 0)
    throw networkFailure(...(HOST_REPLIES.get(reply) ?? (['proxy', `SOCKS5 reply ${reply}`] as const)))
  // The address that the proxy bound is not used, but it comes before the first byte of the host.
  const length = kind === 1 ? 4 : kind === 4 ? 16 : ((await read(socket, 1))[0] ?? 0)
  await read(socket, length + 2)
}

async function authenticate(
  socket: Socket,
  { name, password }: NonNullable<WebProxy['user']>,
): Promise<void> {
  const [user, secret] = [Buffer.from(name).subarray(0, 255), Buffer.from(password).subarray(0, 255)]
  socket.write(Buffer.concat([Buffer.from([1, user.length]), user, Buffer.from([secret.length]), secret]))
  const [, status] = await read(socket, 2)
  if (status !== 0) throw networkFailure('proxy', 'the proxy refused the user name or password')
}

function addressOf(host: string): Buffer {
  if (isIPv4(host)) return Buffer.from([1, ...host.split('.').map(Number)])
  if (isIPv6(host)) return Buffer.concat([Buffer.from([4]), ipv6Bytes(host)])
  const name = Buffer.from(host)
  if (name.length > 255) throw networkFailure('proxy', 'a name longer than SOCKS5 can say')
  return Buffer.concat([Buffer.from([3, name.length]), name])
}

function ipv6Bytes(address: string): Buffer {
  // The URL parser writes IPv6 without embedded IPv4; what may be left out is one run of zeros.
  const [head = '', tail] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const groups = [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right]
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex')
}

/** Exactly `length` bytes. Fails when the proxy hangs up first. */
async function read(socket: Socket, length: number): Promise<Buffer> {
  for (;;) {
    const bytes = socket.read(length) as Buffer | null
    if (bytes !== null && bytes.length === length) return bytes
    if (bytes !== null || socket.readableEnded || socket.destroyed)
      throw networkFailure('proxy', 'the proxy hung up')
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        socket.off('readable', wake).off('end', wake).off('close', wake)
        resolve()
      }
      socket.on('readable', wake).on('end', wake).on('close', wake)
    })
  }
}

/** Has the HTTP proxy at the other end of `socket` open a tunnel (CONNECT) to `host`, a name or an address literal. */
export async function openTunnel(socket: Socket, proxy: WebProxy, host: string, port: number): Promise<void> {
  // Late: with it, Node loads a second HTTP client of its own.
  const { request } = await import('node:http')
  const authority = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
  const authorization = proxyAuthorization(proxy)
  return new Promise((resolve, reject) => {
    const tunnel = request({
      method: 'CONNECT',
      path: authority,
      headers: {
        host: authority,
        ...(authorization === undefined ? {} : { 'proxy-authorization': authorization }),
      },
      createConnection: () => socket,
    })
    // node:http emits this for every response to CONNECT.
    tunnel.on('connect', ({ statusCode }, _socket, head: Buffer) => {
      if (statusCode !== 200)
        return reject(networkFailure('proxy', `the proxy responded to CONNECT with ${statusCode}`))
      if (head.length > 0) socket.unshift(head)
      resolve()
    })
    tunnel.on('error', (error) => reject(networkFailure('proxy', error.message)))
    tunnel.end()
  })
}
