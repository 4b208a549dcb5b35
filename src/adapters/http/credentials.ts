import { ConfigurationError } from '../../base/crawl-error.ts'

/** What identifies the crawler at one host. */
export interface HostCredentials {
  readonly basic?: { readonly user: string; readonly password: string }
  /** Token for `Authorization: Bearer …`. */
  readonly bearer?: string
  /** Further headers, such as an API key. Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Headers that are sent to single hosts and to no other: not after a redirect, and not for scripts of pages of other sites. The key is a
 * host name, which stands for its default ports, or `host:port`.
 */
export class Credentials {
  readonly #headers = new Map<string, Readonly<Record<string, string>>>()
  /** Lower-case names of the headers that must not be stored. */
  readonly secretNames: ReadonlySet<string>

  /** @throws ConfigurationError for a host with both a user and a token */
  constructor(hosts: Readonly<Record<string, HostCredentials>>) {
    const secret = new Set(ALWAYS_SECRET)
    for (const [host, { basic, bearer, headers = {} }] of Object.entries(hosts)) {
      if (basic !== undefined && bearer !== undefined)
        throw new ConfigurationError(
          'SETTING_INVALID',
          `http.credentials: ${host} has basic and bearer; a request has one Authorization header: remove one`,
        )
      const authorization = basic === undefined ? bearer && `Bearer ${bearer}` : `Basic ${encodeBasic(basic)}`
      this.#headers.set(host, { ...headers, ...(authorization !== undefined && { authorization }) })
      for (const name of Object.keys(headers)) secret.add(name.toLowerCase())
    }
    this.secretNames = secret
  }

  /** The headers of a request together with the credentials for its host; its own win. */
  withHeaders(
    url: URL,
    own: Readonly<Record<string, string>> | undefined,
  ): Readonly<Record<string, string>> | undefined {
    // `url.host` has the port unless it is the default one.
    const headers = this.#headers.get(url.host)
    return headers === undefined || isCrossSite(url, own) ? own : { ...headers, ...own }
  }
}

/** Headers that are always secret. Cookies are stored: a WARC file is to show what the server saw. */
const ALWAYS_SECRET = ['authorization', 'proxy-authorization']

/** Whether a script of another site sends the request from a rendered page. */
function isCrossSite(url: URL, own: Readonly<Record<string, string>> = {}): boolean {
  const { origin, 'sec-fetch-site': site } = own
  return (origin !== undefined && origin !== url.origin) || site === 'cross-site'
}

/** RFC 7617, with UTF-8. */
function encodeBasic({ user, password }: { user: string; password: string }): string {
  return Buffer.from(`${user}:${password}`, 'utf8').toString('base64')
}
