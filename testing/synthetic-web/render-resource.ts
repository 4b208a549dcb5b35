import type { IncomingHttpHeaders } from 'node:http'
import type { Link, Resource } from './resource.ts'
import type { SyntheticSite } from './synthetic-site.ts'

export interface RenderedResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** The response of a site; `undefined`: it closes the connection. */
export function renderResource(
  site: SyntheticSite,
  path: string,
  edition: number,
  requestHeaders: IncomingHttpHeaders,
): RenderedResponse | undefined {
  const { robots } = site.plan
  if (path === '/robots.txt') return response(robots.status, { 'content-type': 'text/plain' }, robots.text)
  const resource = site.resourceAt(path)
  switch (resource?.kind) {
    case undefined:
      return response(404, {}, 'nothing here')
    case 'page':
      return renderPage(resource, edition, requestHeaders)
    case 'sitemap':
      return response(200, { 'content-type': 'application/xml' }, sitemap(resource.links))
    case 'redirect':
      return response(resource.status, { location: resource.to.href }, '')
    case 'error': {
      const { status, retryAfterSeconds } = resource
      const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }
      return response(status, headers, `error ${status}`)
    }
    case 'hang-up':
      return undefined
  }
}

type Page = Extract<Resource, { readonly kind: 'page' }>

function renderPage(page: Page, edition: number, requestHeaders: IncomingHttpHeaders): RenderedResponse {
  const own = page.changes ? edition : 1
  const etag = `"edition-${own}"`
  const date = new Date(Date.UTC(2020, 0, own)).toUTCString()
  const validators: Readonly<Record<string, string>> =
    page.validator === 'etag' ? { etag } : page.validator === 'date' ? { 'last-modified': date } : {}
  const { 'if-none-match': ifNoneMatch, 'if-modified-since': ifModifiedSince } = requestHeaders
  const unchanged =
    page.validator === 'etag' ? ifNoneMatch === etag : page.validator === 'date' && ifModifiedSince === date
  if (unchanged) return response(304, validators, '')
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    ...validators,
    ...(page.directive?.from === 'header' && { 'x-robots-tag': page.directive.value }),
  }
  return response(200, headers, html(page, own))
}

function html({ text, links, directive, refresh }: Page, edition: number): string {
  const title = text.slice(0, text.indexOf(' ', 20))
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    `<title>${title}</title>`,
    directive?.from === 'meta' ? `<meta name="robots" content="${directive.value}">` : '',
    refresh === undefined ? '' : `<meta http-equiv="refresh" content="0; url=${escaped(refresh.href)}">`,
    `</head><body><h1>${title}</h1><p>${text}</p><p>Edition ${edition}.</p><ul>`,
    ...links.map(
      ({ href, rel }, i) =>
        `<li><a href="${escaped(href)}"${rel === undefined ? '' : ` rel="${rel}"`}>link ${i}</a></li>`,
    ),
    '</ul></body></html>',
  ].join('\n')
}

function sitemap(links: readonly Link[]): string {
  const entries = links.map(({ href }) => `<url><loc>${escaped(href)}</loc></url>`)
  return `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries.join('')}</urlset>`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
}

function response(status: number, headers: Readonly<Record<string, string>>, body: string): RenderedResponse {
  return { status, headers, body: Buffer.from(body) }
}
