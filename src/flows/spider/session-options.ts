import type { Page } from './handler-page.ts'
import type { RequestOutput } from './output.ts'
import type { RequestOptions } from './request-options.ts'

/**
 * The sessions of a spider: cookies, headers and a proxy, each set with its own login. They do not make a crawl faster: the delay of a host holds for all
 * sessions together.
 * @example
 * ```ts
 * sessions: {
 *   max: 2,
 *   async login(session) {
 *     const form = await session.fetch('https://shop.example/login')
 *     await session.fetch(form.submit('form', { user: 'me', password: process.env.PASSWORD ?? '' }))
 *   },
 *   expired: (page) => page.header('location')?.includes('/login') === true,
 * },
 * ```
 */
export interface SessionsOptions {
  /** Maximum number of sessions; in a fleet, of all its workers. @default 1 */
  readonly max?: number
  /** Called once per session before its first request, and again when it has expired. A thrown error is a failed login. */
  readonly login?: (session: LoginSession) => void | Promise<void>
  /**
   * Whether a response shows that the login has ended; called for every response, redirects and errors too. The page is then requested again after a
   * new login. @default status 401, if there is a `login`
   */
  readonly expired?: (page: Page) => boolean
  /** Whether a response blocks the session; `undefined` leaves it to the standard rules. @default 403, 429 and CAPTCHA pages */
  readonly blocked?: (page: Page) => boolean | undefined
  /** `block`: a host keeps its session until it blocks it. `request`: each request takes the session that was not used for longest. @default 'block' */
  readonly rotate?: 'block' | 'request'
  /** A session is retired at this score: a block adds 1, a page subtracts 0.5. @default 3 */
  readonly maxErrorScore?: number
  /** A session is retired after this many requests. @default no limit */
  readonly maxRequests?: number
  /** Headers of all requests in sessions. @default {} */
  readonly headers?: Readonly<Record<string, string>>
}

/** A session during its login. */
export interface LoginSession {
  readonly id: string
  /**
   * Sends a request of this session, follows redirects, and returns the page, whatever its status. It waits for its turn in the queue of the host, and
   * obeys robots.txt, as all requests do.
   * @throws LoginFailed when there was no response
   */
  fetch(request: string | URL | RequestOutput, options?: RequestOptions): Promise<Page>
  /**
   * Sends a header, such as a token, with all later requests of this session to the registered domains that the login requests.
   * @param hosts whose registered domains get it, too. @default none
   */
  setHeader(name: string, value: string, hosts?: readonly string[]): void
  /**
   * Sends all further requests of this session, those of the login included, through this proxy instead of one of `http.proxy`. It is stored with the
   * session. If the proxy fails, the request is retried in another session.
   * @param url http, https or socks5, with user name and password if need be
   */
  setProxy(url: string | URL): void
}
