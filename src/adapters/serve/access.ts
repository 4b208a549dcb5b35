import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Context } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'
import type { Clock } from '../../base/clock.ts'
import { AttemptLimit } from './attempt-limit.ts'
import { isLoopback } from './request-guards.ts'
import type { ApiErrorCode, ServeAccess } from './responses.ts'

export interface AccessOptions {
  /** Turns actions off. @default false */
  readonly readOnly?: boolean
  /** Clients that have it may act. @default only clients on this machine may act */
  readonly token?: string
  /** Every request for data needs the token, also from this machine. @default false */
  readonly requiresToken?: boolean
}

/** A rejected request. */
export interface Rejection {
  readonly code: ApiErrorCode
  readonly message: string
}

/**
 * Decides who may act on crawls: clients on this machine, and clients with the token. A request that changes something must be sent by a
 * program or by the page of this server, not by the page of another site in the browser of a user who may act (CSRF).
 */
export class Access {
  readonly #readOnly: boolean
  readonly #token: string | undefined
  readonly #requiresToken: boolean
  readonly #attempts: AttemptLimit
  // Cookies and tokens of another process, for example of the server before a restart, are not valid.
  readonly #secret = randomBytes(32)
  readonly #csrfToken = randomBytes(24).toString('base64url')
  // Browsers send a cookie to all ports of a host: the name keeps two servers apart.
  readonly #cookie = `orbweaver-${randomBytes(6).toString('hex')}`

  constructor(clock: Clock, { readOnly = false, token, requiresToken = false }: AccessOptions) {
    this.#readOnly = readOnly
    this.#requiresToken = requiresToken
    this.#token = token
    this.#attempts = new AttemptLimit(clock)
  }

  /** What the client of this request may do. */
  of(context: Context): ServeAccess {
    const isTrusted = !this.#requiresToken && isLocal(context)
    const mayAct = !this.#readOnly && (isTrusted || this.#hasToken(context) === 'valid')
    return {
      ...(this.#requiresToken && { requiresToken: true }),
      ...{ readOnly: this.#readOnly, mayAct, acceptsToken: this.#token !== undefined && !this.#readOnly },
      ...(mayAct && { csrfToken: this.#csrfToken }),
    }
  }

  /** Why this request may not act; `undefined`: it may. */
  rejectsAction(context: Context): Rejection | undefined {
    if (this.#readOnly) return READ_ONLY
    return checkPost(context) ?? this.#checkClient(context) ?? this.#checkCsrf(context)
  }

  /** Why this request may not read data; `undefined`: it may. */
  rejectsRead(context: Context): Rejection | undefined {
    return this.#requiresToken ? this.#checkClient(context) : undefined
  }

  /** The same for the control API. A client that sends the token itself is not a browser that another site misuses. */
  rejectsControl(context: Context): Rejection | undefined {
    const isRead = ['GET', 'HEAD'].includes(context.req.method)
    if (isRead || context.req.header('authorization') !== undefined) return this.#checkClient(context)
    return this.rejectsAction(context)
  }

  /** Exchanges the token for a cookie, so that the page does not store the token. `undefined`: accepted. */
  login(context: Context, token: string): Rejection | undefined {
    if (this.#readOnly) return READ_ONLY
    const rejected = checkPost(context)
    if (rejected !== undefined) return rejected
    if (this.#token === undefined) return NO_TOKEN
    if (context.req.header(CSRF_HEADER) === undefined)
      return { code: 'csrf', message: `The header ${CSRF_HEADER} is missing.` }
    const client = addressOf(context)
    if (this.#attempts.isBlocked(client)) return TOO_MANY
    if (!isEqual(token, this.#token)) {
      this.#attempts.failed(client)
      return INVALID_TOKEN
    }
    setCookie(context, this.#cookie, this.#cookieValue(this.#token), {
      // Without an age: the browser deletes it when its session ends.
      ...{ httpOnly: true, sameSite: 'Strict', path: '/api' },
      secure: isForwardedHttps(context),
    })
    return undefined
  }

  #checkClient(context: Context): Rejection | undefined {
    const token = this.#hasToken(context)
    if (token === 'blocked') return TOO_MANY
    if (token === 'invalid') return INVALID_TOKEN
    if (token === 'valid' || (isLocal(context) && !this.#requiresToken)) return undefined
    if (this.#requiresToken) return TOKEN_FOR_ALL
    return this.#token === undefined ? NO_TOKEN : TOKEN_REQUIRED
  }

  #checkCsrf(context: Context): Rejection | undefined {
    // A browser does not send this header on its own, and the page of another site may not set it.
    if (context.req.header('authorization') !== undefined) return undefined
    const token = context.req.header(CSRF_HEADER)
    if (token !== undefined && isEqual(token, this.#csrfToken)) return undefined
    return {
      code: 'csrf',
      message: `The header ${CSRF_HEADER} is missing or not valid. Its value is access.csrfToken of /api/crawls; it changes when the server restarts.`,
    }
  }

  #hasToken(context: Context): 'none' | 'valid' | 'invalid' | 'blocked' {
    const header = context.req.header('authorization')
    if (header !== undefined) {
      const client = addressOf(context)
      if (this.#attempts.isBlocked(client)) return 'blocked'
      const [, token] = /^Bearer +(\S+)$/i.exec(header) ?? []
      if (token !== undefined && this.#token !== undefined && isEqual(token, this.#token)) return 'valid'
      this.#attempts.failed(client)
      return 'invalid'
    }
    const cookie = getCookie(context, this.#cookie)
    if (cookie === undefined || this.#token === undefined) return 'none'
    return isEqual(cookie, this.#cookieValue(this.#token)) ? 'valid' : 'none'
  }

  #cookieValue(token: string): string {
    return createHmac('sha256', this.#secret).update(token).digest('base64url')
  }
}

/** The header of each POST request. A browser sends it for the page of another site only after a preflight request, which is rejected. */
export const CSRF_HEADER = 'x-orbweaver-csrf'

const READ_ONLY: Rejection = {
  code: 'method',
  message: 'The server was started with --read-only: actions are turned off.',
}
const NO_TOKEN: Rejection = {
  code: 'token-required',
  message:
    'Actions are allowed only from the machine of the server. To allow them from other machines, start the server with --token.',
}
const TOKEN_REQUIRED: Rejection = {
  code: 'token-required',
  message:
    'Actions from other machines need the token of the server: open the URL with #token= that it printed.',
}
const TOKEN_FOR_ALL: Rejection = {
  code: 'token-required',
  message:
    'This server needs its token: send "Authorization: Bearer <token>", or open the URL with #token= that it printed.',
}
const INVALID_TOKEN: Rejection = { code: 'token-invalid', message: 'The token is not valid.' }
const TOO_MANY: Rejection = {
  code: 'too-many-attempts',
  message: 'Too many invalid tokens. Try again in a minute.',
}

/** Rejects posts of forms, and posts that a page of another origin makes a browser send. */
function checkPost({ req }: Context): Rejection | undefined {
  const [type = ''] = (req.header('content-type') ?? '').split(';')
  if (type.trim().toLowerCase() !== 'application/json')
    return { code: 'content-type', message: 'The body must be JSON: send content-type: application/json.' }
  const site = req.header('sec-fetch-site')
  const origin = req.header('origin')
  const isOwn = origin === undefined || hostIn(origin) === req.header('host')?.toLowerCase()
  if ((site === undefined || site === 'same-origin') && isOwn) return undefined
  return { code: 'cross-site', message: 'Actions of pages of other origins are rejected.' }
}

/** `undefined` for `null`, which is the origin of a sandboxed page. */
function hostIn(origin: string): string | undefined {
  return /^https?:\/\/([^/]+)$/i.exec(origin)?.[1]?.toLowerCase()
}

/**
 * Whether the client is on this machine. Behind a reverse proxy on this machine every connection is local, so a forwarded request counts as
 * remote.
 */
export function isLocal(context: Context): boolean {
  const address = addressOf(context)
  const isForwarded = FORWARDED.some((name) => context.req.header(name) !== undefined)
  return !isForwarded && isLoopback(address.replace(/^::ffff:/i, ''))
}

const FORWARDED = [
  ...['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'],
]

function isForwardedHttps({ req }: Context): boolean {
  return req.header('x-forwarded-proto') === 'https'
}

/** The peer of the TCP connection; '' without one. */
function addressOf({ env }: Context): string {
  const { incoming } = (env ?? {}) as {
    readonly incoming?: { readonly socket?: { readonly remoteAddress?: string } }
  }
  return incoming?.socket?.remoteAddress ?? ''
}

/** Takes the same time wherever the texts differ, so that a token cannot be guessed character by character. */
function isEqual(one: string, other: string): boolean {
  const digest = (text: string) => createHmac('sha256', COMPARE_KEY).update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}

const COMPARE_KEY = randomBytes(32)
