import { isIP } from 'node:net'
import { hostname } from 'node:os'
import type { MiddlewareHandler } from 'hono'
import { sendError } from './send-error.ts'

/**
 * Rejects requests whose `Host` header does not name this server. A web page could resolve its own name to this machine (DNS rebinding) and
 * read the responses as its own; the header then has the name of that page.
 * @param host the address that the server listens on
 */
export function hostGuard(host: string): MiddlewareHandler {
  return async (context, next) => {
    const header = context.req.header('host') ?? ''
    if (isOwnName(nameIn(header), host)) return next()
    return sendError(
      context,
      'forbidden-host',
      `This server does not have the name "${header.slice(0, 200)}". Open the URL that it printed when it started.`,
    )
  }
}

/** `[::1]:8090` is `::1`. */
function nameIn(header: string): string {
  const [, bracketed, plain] = /^(?:\[([\da-f:.]+)\]|([^:[\]]*))(?::\d+)?$/i.exec(header) ?? []
  return (bracketed ?? plain ?? '').toLowerCase()
}

function isOwnName(name: string, host: string): boolean {
  if (isLoopback(name) || name === host.toLowerCase()) return name !== ''
  // A server for other machines is also requested by its addresses, which cannot be rebound.
  return !isLoopback(host) && (isIP(name) !== 0 || name === hostname().toLowerCase())
}

/** @param name without brackets */
export function isLoopback(name: string): boolean {
  return name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'))
}

/**
 * Rejects what a page of another site makes a browser request: it could not read the response, but each one costs a scan. Following a link to the search
 * page is allowed.
 */
export const crossSiteGuard: MiddlewareHandler = async (context, next) => {
  const isCrossSite = context.req.header('sec-fetch-site') === 'cross-site'
  const isNavigation =
    context.req.header('sec-fetch-mode') === 'navigate' && !context.req.path.startsWith('/api/')
  if (!isCrossSite || isNavigation) return next()
  return sendError(context, 'cross-site', 'Requests from pages of other sites are rejected.')
}

/**
 * Allows a browser to run the script of the page, apply its style sheet and request the API. Forbids resources of other origins, inline code,
 * frames, forms, and text as markup.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
}

export const securityHeaders: MiddlewareHandler = async (context, next) => {
  await next()
  for (const [name, value] of Object.entries(HEADERS)) context.header(name, value)
}
