import { withoutUndefined } from '../../base/without-undefined.ts'
import { header } from '../fetch/headers.ts'
import { createLinkResolver } from '../url/link-resolver.ts'
import { decodeText } from './decode-text.ts'
import { mergeDirectives } from './directives.ts'
import {
  DEFAULT_MAX_LINKS,
  DEFAULT_MAX_TEXT_CHARS,
  type FormatInput,
  type FormatReader,
  type FormatReading,
  NO_FINDINGS,
  primaryLanguage,
  unread,
} from './format-reader.ts'
import { gunzip } from './gunzip.ts'
import { isMarkdown, markdownLinks } from './markdown-links.ts'
import { type FoundLink, resolveLinks } from './page-links.ts'
import type {
  LinkListing,
  PageInput,
  PageLink,
  PageReading,
  ReadOptions,
  SignatureKind,
  Signatures,
} from './page-reading.ts'
import { pageUsagePreferences } from './page-usage-preferences.ts'
import { parseSitemap, type SitemapEntry } from './parse-sitemap.ts'
import { plainTextLinks } from './plain-text-links.ts'
import { readFeed, readJson } from './read-feed.ts'
import { readHtml } from './read-html.ts'
import { md5Signature, textProfileSignature } from './signatures.ts'
import { fingerprintText } from './sim-hash.ts'
import { type PageKind, type SniffedType, sniffType } from './sniff-type.ts'

/** A sitemap met as a page. Its entries are in `sitemap`, and they are its links. */
const readSitemapPage: FormatReader = (
  { url, bytes, headerCharset, truncated },
  { normalize, scan = {} },
) => {
  const { maxLinks = DEFAULT_MAX_LINKS } = scan
  const sitemap = parseSitemap(bytes, { url, normalize, headerCharset, truncated, maxEntries: maxLinks })
  const links = new Map<string, PageLink>()
  for (const entry of sitemap.sitemaps) addEntry(links, entry, { isSitemap: true })
  for (const entry of sitemap.pages) addEntry(links, entry, { priority: entry.priority ?? DEFAULT_PRIORITY })
  return {
    ok: true,
    metas: [],
    truncated: sitemap.truncated !== undefined,
    findings: { ...NO_FINDINGS, links: [...links.values()], rejectedLinks: sitemap.rejected, sitemap },
  }
}

/** Priority of a page without one, as the sitemap protocol has it. */
const DEFAULT_PRIORITY = 0.5

/** Adds a URL where it stands first. */
function addEntry(
  links: Map<string, PageLink>,
  { url, lastModified, changeFrequency }: SitemapEntry,
  more: LinkListing,
): void {
  if (links.has(url)) return
  const listed = { ...more, ...withoutUndefined({ lastModified, changeFrequency }) }
  links.set(url, { url, anchor: '', rel: [], kind: 'sitemap', listed })
}

/** Plain text; the URLs in it are links. In Markdown, so are its links. */
const readText: FormatReader = ({ url, bytes, headerCharset, type = '' }, { normalize, scan = {} }) => {
  const { maxLinks = DEFAULT_MAX_LINKS, maxTextChars = DEFAULT_MAX_TEXT_CHARS } = scan
  const { text, charset, charsetSource } = decodeText(bytes, { syntax: 'text', headerCharset })
  const all: FoundLink[] = isMarkdown(url, type)
    ? markdownLinks(text)
    : plainTextLinks(text).map((href) => ({ href, anchor: '', rel: [], kind: 'text' }))
  const overLimit = Math.max(0, all.length - maxLinks)
  const found = all.slice(0, maxLinks)
  return {
    ok: true,
    metas: [],
    truncated: text.length > maxTextChars || overLimit > 0,
    findings: {
      ...NO_FINDINGS,
      charset,
      charsetSource,
      text: text.slice(0, maxTextChars),
      ...resolveLinks(found, url, createLinkResolver(url, normalize), overLimit),
    },
  }
}

/**
 * Reads a response of any type: its type, text, links and robots directives. Depends on its
 * arguments alone and never throws, whatever the bytes and headers. PDFs are named, not read: `readDocument` does that.
 * @example
 * const bytes = new TextEncoder().encode('<title>Example</title><a href=/next>next</a>')
 * const input = { url: 'https://example.org/', headers: [['content-type', 'text/html']] as HeaderList, bytes }
 * const reading = readPage(input, { agent: 'my-bot', normalize: normalizeUrl })
 * reading.title // → 'Example'
 * reading.links.map(({ url }) => url) // → ['https://example.org/next']
 */
export function readPage(input: PageInput, options: ReadOptions): PageReading {
  return readSniffed(input, options, sniffPage(input))
}

/** What the body of a response is. */
export function sniffPage({ url, headers, bytes }: PageInput): SniffedType {
  return sniffType(bytes, header(headers, 'content-type'), url)
}

/** `readPage`, for a response whose type is known. */
export function readSniffed(input: PageInput, options: ReadOptions, sniffed: SniffedType): PageReading {
  const { url, bytes, truncated = false } = input
  const body = { url, bytes, headerCharset: sniffed.headerCharset, truncated, type: sniffed.type }
  return finishReading(input, options, sniffed, readBody(body, sniffed, options))
}

/** Adds the directives of the headers and the signatures. */
export function finishReading(
  input: PageInput,
  { agent, signatures = ['md5', 'text-profile', 'sim-hash'] }: ReadOptions,
  { type, kind, declared }: SniffedType,
  reading: FormatReading,
): PageReading {
  const { url, headers, bytes } = input
  const findings = reading.ok ? reading.findings : NO_FINDINGS
  const metas = reading.ok ? reading.metas : []
  const directives = mergeDirectives({ headers, metas, agent })
  const language = findings.language ?? primaryLanguage(header(headers, 'content-language'))
  return {
    ...findings,
    ...withoutUndefined({ language }),
    url,
    status: reading.ok ? 'parsed' : reading.status,
    ...(!reading.ok && { reason: reading.reason, detail: reading.detail }),
    type,
    kind,
    ...withoutUndefined({ declaredType: declared }),
    truncated: input.truncated === true || (reading.ok && reading.truncated),
    directives,
    followable: !directives.nofollow,
    usage: pageUsagePreferences(headers, metas),
    signatures: sign(signatures, bytes, url, findings.text),
  }
}

const READERS: Readonly<Partial<Record<PageKind, FormatReader>>> = {
  html: readHtml,
  text: readText,
  feed: readFeed,
  json: readJson,
  sitemap: readSitemapPage,
}

function readBody(body: FormatInput, { kind, type }: SniffedType, options: ReadOptions): FormatReading {
  if (kind === 'gzip') return readGzip(body, options)
  if (kind === 'pdf' || kind === 'document')
    return unread('skipped', 'needs-library', `${type} is read by readDocument`)
  return READERS[kind]?.(body, options) ?? unread('skipped', 'unsupported-type', `${type} is not read`)
}

/** What a sitemap may decode to, which is the largest thing that is published gzipped and read by us. */
const MAX_GUNZIPPED_BYTES = 50 * 1024 * 1024

/** A file that is itself gzipped (`sitemap.xml.gz`), once or by mistake twice. Other archives are not opened. */
function readGzip(body: FormatInput, options: ReadOptions): FormatReading {
  let { bytes, truncated } = body
  let inner: SniffedType | undefined
  for (let layer = 0; layer < 2 && (inner === undefined || inner.kind === 'gzip'); layer++) {
    const opened = gunzip(bytes, MAX_GUNZIPPED_BYTES)
    if (opened === undefined) return unread('failed', 'bad-gzip', 'nothing in the gzip file can be decoded')
    bytes = opened.bytes
    truncated ||= opened.truncated
    inner = sniffType(bytes, undefined, body.url.replace(/\.gz$/i, ''))
  }
  const reader = inner && READERS[inner.kind]
  if (reader === undefined) return unread('skipped', 'unsupported-type', `${inner?.type} in gzip is not read`)
  const reading = reader({ ...body, bytes, truncated }, options)
  return reading.ok ? { ...reading, truncated: reading.truncated || truncated } : reading
}

function sign(kinds: readonly SignatureKind[], bytes: Uint8Array, url: string, text: string): Signatures {
  const md5 = kinds.includes('md5') ? md5Signature(bytes, url) : undefined
  const textProfile = kinds.includes('text-profile')
    ? (textProfileSignature(text) ?? md5 ?? md5Signature(bytes, url))
    : undefined
  const [hasSimHash, hasSketch] = [kinds.includes('sim-hash'), kinds.includes('sketch')]
  const prints = hasSimHash || hasSketch ? fingerprintText(text) : undefined
  const simHash = hasSimHash ? prints?.simHash : undefined
  const sketch = hasSketch ? prints?.sketch : undefined
  return withoutUndefined({ md5, textProfile, simHash, sketch })
}
