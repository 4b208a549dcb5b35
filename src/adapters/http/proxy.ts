import { ConfigurationError } from '../../base/crawl-error.ts'

/** A proxy, and the hosts that use it. */
export interface ProxyOptions {
  /** `http:`, `https:`, `socks5:` or `socks5h:`; user name and password in it are sent to the proxy. */
  readonly url: string
  /** Hosts connected directly: `example.org` means it and its subdomains, `*` means all. @default [] */
  readonly noProxy?: readonly string[]
  /**
   * Who turns names into addresses. `local`: we do, check them as always, and have the proxy connect to exactly the checked address. `both`: we
   * resolve and check, and the proxy resolves the name once more; for proxies that tunnel only to port 443. `proxy`: the proxy alone; then
   * it must refuse names that stand for private addresses, and only address literals and local names are refused here.
   * @default 'local'; 'proxy' for `socks5h:`
   */
  readonly resolve?: ProxyResolve
  /** Share of the hosts among the proxies of a tier. @default 1 */
  readonly weight?: number
  /** Proxies of a higher tier are used for hosts that block the lower ones, and while those are down. @default 0 */
  readonly tier?: number
}

/** Who resolves host names: this process, this process as a check before the proxy does, or the proxy alone. */
export type ProxyResolve = 'local' | 'both' | 'proxy'

/** A proxy whose options were understood. */
export interface WebProxy {
  /** For people: without user and password. */
  readonly label: string
  readonly scheme: 'http' | 'https' | 'socks5'
  readonly host: string
  readonly port: number
  /** Decoded. */
  readonly user: { readonly name: string; readonly password: string } | undefined
  readonly resolve: ProxyResolve
  readonly weight: number
  readonly tier: number
  /** Whether requests to `host` go through it. */
  serves(host: string): boolean
}

const DEFAULT_PORTS = { http: 80, https: 443, socks5: 1080 }

export function parseProxy(options: ProxyOptions): WebProxy {
  const url = URL.canParse(options.url) ? new URL(options.url) : undefined
  const given = url?.protocol.slice(0, -1)
  // As curl has it: the proxy resolves names.
  const scheme = given === 'socks5h' ? 'socks5' : given
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
  const port = url.port === '' ? DEFAULT_PORTS[scheme] : Number(url.port)
  return {
    label: `${scheme}://${url.hostname}:${port}`,
    scheme,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port,
    user,
    resolve: options.resolve ?? (given === 'socks5h' ? 'proxy' : 'local'),
    weight: options.weight ?? 1,
    tier: options.tier ?? 0,
    serves: (host) => !direct.some((entry) => entry === '*' || host === entry || host.endsWith(`.${entry}`)),
  }
}

/** Whether an http request to it is handed over as it is, with the whole URL in its first line. A tunnel connects to a checked address. */
export function forwardsRequests({ scheme, resolve }: WebProxy): boolean {
  return scheme !== 'socks5' && resolve !== 'local'
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
  return url.replace(/\/\/.*@/, '//')
}
