import { withoutUndefined } from '../../base/without-undefined.ts'
import { parseContentType } from './content-type.ts'
import { documentFormat, oleDocumentType, zipDocumentType } from './documents/document-types.ts'
import { guessCharset } from './guess-charset.ts'
import { looksBinary, typeByMagic } from './magic-bytes.ts'

/** Which reader a body needs. */
export type PageKind = 'html' | 'sitemap' | 'feed' | 'text' | 'json' | 'pdf' | 'document' | 'gzip' | 'other'

/** The type of a body, and what its header declares. */
export interface SniffedType {
  /** What the bytes are, `type/subtype`. */
  readonly type: string
  readonly kind: PageKind
  /** The type in the Content-Type header; absent if there is no usable one. */
  readonly declared?: string
  /** The charset parameter of the header, as written. */
  readonly headerCharset?: string
}

/** How far into a body its first tag is looked for. */
const SNIFF_BYTES = 1445

/**
 * Decides what a body is: WHATWG MIME sniffing, widened where a crawler must not believe the header. Bytes with a magic
 * number are what the number says; a picture, archive or PDF that is really a page is a page; `text/plain` stays text,
 * because a server that shows a page's source means it. The name in the URL is used last.
 * @example
 * sniffType(new TextEncoder().encode('<!doctype html>'), 'image/png', 'https://example.org/').type // → 'text/html'
 */
export function sniffType(bytes: Uint8Array, contentType: string | undefined, url: string): SniffedType {
  const header = contentType === undefined ? undefined : parseContentType(contentType)
  const declared = header?.type
  return {
    ...actualType(bytes, declared, url),
    ...withoutUndefined({ declared }),
    ...(header?.charset !== undefined && { headerCharset: header.charset }),
  }
}

interface TypeAndKind {
  readonly type: string
  readonly kind: PageKind
}

function actualType(bytes: Uint8Array, declared: string | undefined, url: string): TypeAndKind {
  const magic = typeByMagic(bytes)
  if (magic !== undefined) return withKind(documentIn(bytes, magic) ?? moreExact(declared, magic))
  const start = startOfText(bytes)
  const markup = markupType(start)
  if (declared === undefined || GENERIC.has(declared)) {
    return markup ?? withKind(isText(bytes, start) ? typeByName(url) : 'application/octet-stream')
  }
  if (markup !== undefined && canHideMarkup(declared, markup)) return markup
  if (declared === 'text/plain' && !isText(bytes, start)) return withKind('application/octet-stream')
  return withKind(declared)
}

const GENERIC = new Set([
  'application/octet-stream',
  'binary/octet-stream',
  'unknown/unknown',
  'application/unknown',
  '*/*',
])
const TEXTUAL = /^text\/|^application\/(?:json|javascript|ecmascript|x-javascript|xml)$|\+(?:xml|json)$/
const XML = /^(?:text|application)\/xml$|\+xml$/

/** The type of a document in a container, by its contents. */
function documentIn(bytes: Uint8Array, magic: string): string | undefined {
  if (magic === 'application/zip') return zipDocumentType(bytes)
  return magic === 'application/x-ole-storage' ? oleDocumentType(bytes) : undefined
}

/** A container's magic does not tell what is inside (a document is a zip): a header that could be right is more exact. */
function moreExact(declared: string | undefined, magic: string): string {
  if (declared === undefined || GENERIC.has(declared) || TEXTUAL.test(declared)) return magic
  const container = /^(?:application\/(?:zip|ogg|x-ole-storage)|video\/(?:mp4|webm))$/.test(magic)
  const plausible = /^(?:application|audio|video)\//.test(declared) && declared !== 'application/pdf'
  return container && plausible ? declared : magic
}

/** Whether a body declared as this type may turn out to be that markup. */
function canHideMarkup(declared: string, markup: TypeAndKind): boolean {
  // The types of XHTML and SVG are exact.
  if (XML.test(declared))
    return markup.kind !== 'html' && !/^(?:application\/xhtml|image\/svg)\+xml$/.test(declared)
  if (declared === 'text/html' || declared === 'text/plain')
    return markup.kind === 'sitemap' || markup.kind === 'feed'
  return !TEXTUAL.test(declared)
}

const HTML_TAGS =
  /^<(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p|meta|link)[\s>/]|^<!--/i
const XML_ROOT = /^<(?:[\w.-]+:)?(urlset|sitemapindex|rss|feed|rdf|html|svg)[\s>/]/i

/** HTML, a feed or a sitemap by its first tag. */
function markupType(start: string): TypeAndKind | undefined {
  const isXml = start.startsWith('<?xml')
  // A page may begin with a drawing; only a document without HTML's own doctype can be one.
  const isPage = /^<!doctype html[\s>]/i.test(start)
  const root = isPage ? undefined : XML_ROOT.exec(withoutProlog(start))?.[1]?.toLowerCase()
  if (root === 'urlset' || root === 'sitemapindex') return { type: 'application/xml', kind: 'sitemap' }
  if (root === 'rss') return { type: 'application/rss+xml', kind: 'feed' }
  if (root === 'feed') return { type: 'application/atom+xml', kind: 'feed' }
  if (root === 'rdf') return { type: 'application/rdf+xml', kind: 'feed' }
  if (isXml && root === 'html') return { type: 'application/xhtml+xml', kind: 'html' }
  if (root === 'svg') return { type: 'image/svg+xml', kind: 'other' }
  if (isXml) return { type: 'application/xml', kind: 'other' }
  return HTML_TAGS.test(start) ? { type: 'text/html', kind: 'html' } : undefined
}

/** Skips declarations, comments and the doctype before the root. */
function withoutProlog(start: string): string {
  let at = 0
  for (;;) {
    while (start.charCodeAt(at) <= 0x20) at++
    const end = start.startsWith('<!--', at)
      ? '-->'
      : start.startsWith('<?', at)
        ? '?>'
        : start.startsWith('<!', at)
          ? '>'
          : ''
    if (end === '') return start.slice(at)
    const found = start.indexOf(end, at + 2)
    if (found < 0) return ''
    at = found + end.length
  }
}

/** The first bytes as ASCII, without byte order mark and leading white space; UTF-16 loses its zeros. */
function startOfText(bytes: Uint8Array): string {
  const head = bytes.subarray(0, SNIFF_BYTES)
  return Buffer.from(isUtf16(head) ? head.filter((byte) => byte !== 0) : head)
    .toString('latin1')
    .replace(/^(?:\xef\xbb\xbf|\xfe\xff|\xff\xfe)?[\t\n\f\r ]*/, '')
}

function isUtf16(head: Uint8Array): boolean {
  const [first, second] = head
  if ((first === 0xfe && second === 0xff) || (first === 0xff && second === 0xfe)) return true
  return head.includes(0) && guessCharset(head).startsWith('utf-16')
}

function isText(bytes: Uint8Array, start: string): boolean {
  return (
    !looksBinary(bytes) ||
    (isUtf16(bytes.subarray(0, SNIFF_BYTES)) && !looksBinary(Buffer.from(start, 'latin1')))
  )
}

const TYPE_BY_NAME: ReadonlyMap<string, string> = new Map([
  ['html', 'text/html'],
  ['htm', 'text/html'],
  ['xhtml', 'application/xhtml+xml'],
  ['css', 'text/css'],
  ['js', 'text/javascript'],
  ['mjs', 'text/javascript'],
  ['json', 'application/json'],
  ['csv', 'text/csv'],
  ['eml', 'message/rfc822'],
  ['mbox', 'application/mbox'],
])

/** For text without any other evidence. */
function typeByName(url: string): string {
  const name = /\.([a-z]+)(?:[?#]|$)/i.exec(url.slice(url.lastIndexOf('/')))?.[1]
  return TYPE_BY_NAME.get(name?.toLowerCase() ?? '') ?? 'text/plain'
}

function withKind(type: string): TypeAndKind {
  return { type, kind: kindOf(type) }
}

/** Text that is written for people, more or less: not style sheets, scripts or XML. */
const PROSE = /^text\/(?!css$|xml$|xsl$|.*script$)/

function kindOf(type: string): PageKind {
  if (type === 'text/html' || type === 'application/xhtml+xml') return 'html'
  if (PROSE.test(type)) return 'text'
  if (type === 'application/rss+xml' || type === 'application/atom+xml') return 'feed'
  if (type === 'application/json' || type.endsWith('+json')) return 'json'
  if (type === 'application/pdf') return 'pdf'
  if (documentFormat(type) !== undefined) return 'document'
  return type === 'application/gzip' || type === 'application/x-gzip' ? 'gzip' : 'other'
}
