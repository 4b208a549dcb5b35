import type { Request, Route } from 'playwright-core'
import type { FetchOutcome } from '../../domain/fetch/fetch-outcome.ts'
import type { FetchRequest } from '../../domain/fetch/fetcher.ts'
import { type HeaderList, headerFault } from '../../domain/fetch/headers.ts'

/** Kinds of requests that are not sent unless the settings name them. */
export type OptionalResource = 'image' | 'font' | 'media' | 'iframe'

/** What is done with a request of a page: data waits for the delay of its host, assets belong to the request of the page. */
export type RequestKind = 'data' | 'asset' | 'local' | { readonly blocked: string }

/** @param isMain whether the request is the navigation of the main frame */
export function kindOf(
  url: string,
  resourceType: string,
  isMain: boolean,
  allowed: ReadonlySet<OptionalResource>,
): RequestKind {
  if (/^(?:data|blob|about):/i.test(url)) return 'local'
  if (!/^https?:/i.test(url)) return { blocked: 'scheme' }
  switch (resourceType) {
    case 'document':
      return isMain || allowed.has('iframe') ? 'data' : { blocked: 'iframe' }
    case 'xhr':
    case 'fetch':
      return 'data'
    case 'script':
    case 'stylesheet':
      return 'asset'
    case 'image':
    case 'font':
    case 'media':
      return allowed.has(resourceType) ? 'asset' : { blocked: resourceType }
    default:
      return { blocked: resourceType }
  }
}

/** Our client sets these itself, or they describe the browser that does not send the request. */
const OWN_HEADERS =
  /^(?:user-agent|accept-encoding|sec-.*|host|connection|content-length|upgrade-.*|proxy-.*|te)$/

/** The request as our client sends it: with our User-Agent, and the other headers of the page. */
export function fetchRequestOf(request: Request): FetchRequest {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(request.headers()))
    if (!OWN_HEADERS.test(name) && headerFault(name, value) === undefined) headers[name] = value
  const body = request.postDataBuffer()
  return {
    url: request.url(),
    method: request.method(),
    headers,
    keepErrorBody: true,
    ...(body !== null && { body }),
  }
}

/** Gives the browser the response of our client. */
export async function fulfil(route: Route, outcome: FetchOutcome): Promise<void> {
  if (!('response' in outcome)) return route.abort('failed')
  const { status, headers } = outcome.response
  const body = 'body' in outcome ? outcome.body?.bytes : undefined
  await route.fulfill({
    status,
    headers: responseHeaders(headers),
    ...(body !== undefined && { body: Buffer.from(body.buffer, body.byteOffset, body.byteLength) }),
  })
}

/** The body is decoded already, and is shown even if the server wants it to be saved. */
const LEFT_OUT = new Set([
  'content-encoding',
  'content-length',
  'transfer-encoding',
  'content-disposition',
  'alt-svc',
])

function responseHeaders(headers: HeaderList): Record<string, string> {
  const result: Record<string, string> = {}
  for (const [name, value] of headers) {
    if (LEFT_OUT.has(name)) continue
    const before = result[name]
    // Playwright takes several Set-Cookie headers as lines.
    result[name] = before === undefined ? value : `${before}${name === 'set-cookie' ? '\n' : ', '}${value}`
  }
  return result
}
