import { ConfigurationError } from '../../base/crawl-error.ts'
import type { SessionCookies, Validators } from '../../domain/fetch/fetcher.ts'
import { type HeaderList, headerFault, isHeaderValue } from '../../domain/fetch/headers.ts'
import { ACCEPT_ENCODING } from './content-coding.ts'
import { type AgentIdentity, userAgent } from './user-agent.ts'

/** Header fields to send: lower-case name to value, in order. */
export type RequestHeaders = ReadonlyMap<string, string>

/** What is sent with every request: who we are, what we can read, and what the operator adds. */
export function defaultHeaders(
  agent: AgentIdentity,
  extra: Readonly<Record<string, string>>,
): RequestHeaders {
  const headers = new Map([
    ['user-agent', userAgent(agent)],
    ['accept', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'],
    ['accept-language', 'en;q=0.9,*;q=0.5'],
    ['accept-encoding', ACCEPT_ENCODING],
  ])
  for (const [name, value] of checked(extra)) headers.set(name, value)
  return headers
}

/** The headers of one request as they are sent: name, value, name, value. The request's own win. */
export function flatHeaders(
  defaults: RequestHeaders,
  own: Readonly<Record<string, string>> | undefined,
  validators: Validators | undefined,
): string[] {
  const overriding = own === undefined ? NO_HEADERS : new Map(checked(own))
  const flat: string[] = []
  for (const [name, value] of defaults) if (!overriding.has(name)) flat.push(name, value)
  for (const [name, value] of overriding) flat.push(name, value)
  // Both came from a server, so what cannot be said in a header is left out.
  if (validators?.etag !== undefined && isHeaderValue(validators.etag))
    flat.push('if-none-match', validators.etag)
  if (validators?.lastModified !== undefined && isHeaderValue(validators.lastModified))
    flat.push('if-modified-since', validators.lastModified)
  return flat
}

/** Adds what the jar has for `url` to the Cookie header, or as one: there is never a second (RFC 6265, 5.4). */
export function addCookies(flat: string[], jar: SessionCookies, url: URL): void {
  const at = flat.findIndex((text, i) => i % 2 === 0 && text === 'cookie')
  const cookie = jar.headerFor(url, at < 0 ? undefined : flat[at + 1])
  if (cookie === undefined) return
  if (at < 0) flat.push('cookie', cookie)
  else flat[at + 1] = cookie
}

/** The headers of a request as they are stored with its response: pairs of name and value, without the values of secrets. */
export function recordedHeaders(flat: readonly string[], secretNames: ReadonlySet<string>): HeaderList {
  const pairs: Array<readonly [string, string]> = []
  for (let i = 0; i + 1 < flat.length; i += 2) {
    const name = flat[i] ?? ''
    pairs.push([name, secretNames.has(name) ? NOT_STORED : (flat[i + 1] ?? '')])
  }
  return pairs
}

const NOT_STORED = '(not stored)'

const NO_HEADERS: RequestHeaders = new Map()

function checked(headers: Readonly<Record<string, string>>): Array<readonly [string, string]> {
  return Object.entries(headers).map(([name, value]) => {
    const lower = name.toLowerCase()
    const fault = headerFault(lower, value)
    if (fault !== undefined) throw new ConfigurationError('REQUEST_INVALID', fault)
    return [lower, value]
  })
}
