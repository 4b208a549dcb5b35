import { afterAll, beforeAll, beforeEach } from 'vitest'
import { HttpFetcher, type HttpFetcherOptions } from '../../src/adapters/http/http-fetcher.ts'
import type { FetchOutcome } from '../../src/domain/fetch/fetch-outcome.ts'
import type { FetchRequest } from '../../src/domain/fetch/fetcher.ts'
import { type MisbehavingWeb, startMisbehavingWeb } from '../../testing/misbehaving-web.ts'

/** Options that a test may override. */
type Options = Partial<HttpFetcherOptions>

/** The web and functions to send requests to it. */
export interface HostileWeb {
  readonly web: MisbehavingWeb
  /** A fetcher with short limits; it is closed after the test file. */
  fetcher(options?: Options): HttpFetcher
  /** Sends one request with a new fetcher. */
  fetch(url: string, options?: Options, request?: Partial<FetchRequest>): Promise<FetchOutcome>
  /** Sends one request for a route of the web, with the fetcher that the test file shares. */
  request(route: string): Promise<FetchOutcome>
}

/** Starts a misbehaving web for a test file. Every `.test` host counts as named by the operator, so that loopback may be requested. */
export function useHostileWeb(): HostileWeb {
  let web: MisbehavingWeb | undefined
  let shared: HttpFetcher | undefined
  const fetchers: HttpFetcher[] = []
  const started = (): MisbehavingWeb => {
    if (web === undefined) throw new Error('the web starts before the first test')
    return web
  }
  beforeAll(async () => {
    web = await startMisbehavingWeb()
  })
  beforeEach(() => web?.judge.reset())
  afterAll(async () => {
    await Promise.all(fetchers.map((fetcher) => fetcher.close()))
    await web?.close()
  })

  const fetcher = (options: Options = {}): HttpFetcher => {
    const made = new HttpFetcher({
      ...SHORT_LIMITS,
      resolve: started().dns.resolve,
      extraCertificates: [started().ca],
      ...options,
    })
    fetchers.push(made)
    return made
  }
  return {
    get web() {
      return started()
    },
    fetcher,
    fetch: (url, options, request) => fetcher(options).fetch({ url, ...request }),
    request: (route) => {
      shared ??= fetcher()
      return shared.fetch({ url: started().url(route) })
    },
  }
}

/** Long enough for a normal response on a busy machine, short enough for a hundred timeouts. */
const SHORT_LIMITS: HttpFetcherOptions = {
  agent: { name: 'Orbweaver', version: '0', contactUrl: 'https://orbweaver.test/bot' },
  allowPrivateHosts: (host) => host.endsWith('.test'),
  connectTimeoutMs: 3_000,
  headersTimeoutMs: 1_000,
  bodyTimeoutMs: 1_000,
  totalTimeoutMs: 5_000,
  maxBodyBytes: 1024 * 1024,
}

/** For `allowPrivateHosts`: no private hosts, the default. */
export const noHost = (): boolean => false
