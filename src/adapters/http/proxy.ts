import { ConfigurationError } from '../../base/crawl-error.ts'

export interface ProxyOptions {
  /** `http:`, `https:` or `socks5:`; user name and password in it are sent to the proxy. */
  readonly url: string
  /** Hosts asked directly: `example.org` means it and its subdomains, `*` means all. @default [] */
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
