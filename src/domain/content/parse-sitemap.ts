import { withoutUndefined } from '../../base/without-undefined.ts'
import { hostOf } from '../url/host-of.ts'
import { createLinkResolver, type LinkResolver } from '../url/link-resolver.ts'
import type { UrlNormalizer } from '../url/normalize-url.ts'
import { decodeChunks } from './decode-chunks.ts'
import { gunzip } from './gunzip.ts'
import { typeByMagic } from './magic-bytes.ts'
import { changedAt, FeedReader } from './parse-feed.ts'
import { type RawSitemapEntry, SitemapLines, SitemapXml } from './sitemap-reader.ts'
import { XmlTokenizer } from './xml-tokenizer.ts'

/** The reason in `rejectedLinks` for links over the limit of a reader: they are counted, not resolved. */
export const OVER_LIMIT = 'over-limit'

/** How deep a caller should follow index in index. */
export const MAX_SITEMAP_DEPTH = 5

/** Options of {@link parseSitemap}. */
export interface SitemapOptions {
  /** Where the sitemap is: its relative links are resolved against it, and its host is the one that counts as own. */
  readonly url: string
  readonly normalize: UrlNormalizer
  /** The charset of the Content-Type header. */
  readonly headerCharset?: string | undefined
  /** The body was cut when it was fetched: the last line of a list may be half a URL. @default false */
  readonly truncated?: boolean
  /** Decoded bytes that are read. @default 52428800, as the sitemap protocol has it */
  readonly maxBytes?: number
  /** Entries that are kept. @default 50000, as the sitemap protocol has it */
  readonly maxEntries?: number
}

/** A page or a sitemap that a sitemap lists. */
export interface SitemapEntry {
  /** Normalised. */
  readonly url: string
  /** The entry is on another host than the sitemap: believe it only when that host's robots.txt names the sitemap. */
  readonly crossHost: boolean
  /** Milliseconds since the epoch; absent when missing, malformed or absurd. It may lie in the future. */
  readonly lastModified?: number
  /** 0 to 1. */
  readonly priority?: number
  readonly changeFrequency?: string
  readonly alternates?: ReadonlyArray<{ readonly language: string; readonly url: string }>
}

/** The entries of a sitemap, of a sitemap index, or of a feed. */
export interface Sitemap {
  /** `unknown`: neither a sitemap nor a feed, so there are no entries. */
  readonly format: 'urlset' | 'index' | 'feed' | 'text' | 'unknown'
  readonly pages: readonly SitemapEntry[]
  /** The sitemaps that an index lists. */
  readonly sitemaps: readonly SitemapEntry[]
  /** How many entries were unusable, by reason: a `UrlRejection`, `not-absolute`, or `over-limit` for more than `maxEntries`. */
  readonly rejected: Readonly<Record<string, number>>
  /** What ended the reading before the end of the file. */
  readonly truncated?: 'bytes' | 'entries' | 'gzip'
}

/**
 * Reads a sitemap: XML, index, text, RSS or Atom, plain or gzipped (also twice). A body in chunks is read as a stream and
 * must not be gzipped. Broken and cut files give what was there; nothing in one can make it throw.
 * @example
 * const body = new TextEncoder().encode('https://example.org/a\nhttps://example.org/b\n')
 * const sitemap = parseSitemap(body, { url: 'https://example.org/sitemap.txt', normalize: normalizeUrl })
 * sitemap.pages.map(({ url }) => url) // → ['https://example.org/a', 'https://example.org/b']
 */
export function parseSitemap(body: Uint8Array | Iterable<Uint8Array>, options: SitemapOptions): Sitemap {
  const { maxBytes = 50 * 1024 * 1024, maxEntries = 50_000 } = options
  const opened = body instanceof Uint8Array ? openGzip(body, maxBytes) : { chunks: body, truncated: false }
  const limited = new Limited(opened.chunks, maxBytes)
  const collected = new Collector(options, maxEntries)
  const decoded = decodeChunks(limited, { syntax: 'xml', headerCharset: options.headerCharset })
  const isCut = () => limited.wasCut || opened.truncated || options.truncated === true
  const format = read(decoded, collected, isCut)
  const truncated = endedBy(collected.rejected[OVER_LIMIT] !== undefined, limited.wasCut, opened.truncated)
  const { pages, sitemaps, rejected } = collected
  return { format, pages, sitemaps, rejected, ...withoutUndefined({ truncated }) }
}

function endedBy(isFull: boolean, wasCut: boolean, badGzip: boolean): Sitemap['truncated'] {
  if (isFull) return 'entries'
  if (wasCut) return 'bytes'
  return badGzip ? 'gzip' : undefined
}

/** Some servers gzip a file that was gzipped already; more than that is malice. */
const MAX_GZIP_LAYERS = 2
const CHUNK_BYTES = 65_536

function openGzip(body: Uint8Array, maxBytes: number): { chunks: Iterable<Uint8Array>; truncated: boolean } {
  let bytes = body
  let truncated = false
  for (let layer = 0; layer < MAX_GZIP_LAYERS && typeByMagic(bytes) === 'application/gzip'; layer++) {
    const opened = gunzip(bytes, maxBytes)
    bytes = opened?.bytes ?? new Uint8Array()
    truncated ||= opened?.truncated ?? true
  }
  return { chunks: slices(bytes), truncated }
}

function* slices(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES)
}

/** The first `maxBytes` of some chunks. */
class Limited {
  readonly #chunks: Iterable<Uint8Array>
  #bytesLeft: number
  wasCut = false

  constructor(chunks: Iterable<Uint8Array>, maxBytes: number) {
    this.#chunks = chunks
    this.#bytesLeft = maxBytes
  }

  *[Symbol.iterator](): Generator<Uint8Array> {
    for (const chunk of this.#chunks) {
      this.wasCut = chunk.length > this.#bytesLeft
      yield this.wasCut ? chunk.subarray(0, this.#bytesLeft) : chunk
      this.#bytesLeft -= chunk.length
      if (this.wasCut) return
    }
  }
}

/** The first character that is not white space decides between markup and a list of URLs; the root element decides the kind of markup. */
function read(chunks: Iterable<string>, collector: Collector, isCut: () => boolean): Sitemap['format'] {
  const add = (entry: RawSitemapEntry) => collector.add(entry)
  const lines = new SitemapLines(add)
  const sitemap = new SitemapXml(add)
  const feed = new FeedReader({ maxItems: collector.maxEntries })
  const xml = new XmlTokenizer({
    open(name, attributes) {
      sitemap.open(name, attributes)
      if (sitemap.format === 'unknown') feed.open(name, attributes)
    },
    close(name) {
      if (sitemap.format === 'unknown') feed.close(name)
      else sitemap.close(name)
    },
    text(text) {
      if (sitemap.format === 'unknown') feed.text(text)
      else sitemap.text(text)
    },
  })

  let isMarkup: boolean | undefined
  for (const chunk of chunks) {
    const first = isMarkup === undefined ? chunk.trimStart().charAt(0) : ''
    if (first !== '') isMarkup = first === '<'
    if (isMarkup) xml.push(chunk)
    else lines.push(chunk)
  }
  if (!isMarkup) {
    if (!isCut()) lines.end()
    return lines.isList ? 'text' : 'unknown'
  }
  xml.end()
  if (sitemap.format !== 'unknown') {
    sitemap.end()
    return sitemap.format
  }
  const { items, itemsDropped = 0 } = feed.feed() ?? {}
  collector.passOver(itemsDropped)
  for (const item of items ?? []) {
    const { href } = item
    if (href === undefined) continue
    const lastModified = changedAt(item)
    add({ kind: 'page', href, mayBeRelative: true, alternates: [], ...withoutUndefined({ lastModified }) })
  }
  return items === undefined ? 'unknown' : 'feed'
}

/** Resolves entries and keeps them, up to the limit. */
class Collector {
  readonly pages: SitemapEntry[] = []
  readonly sitemaps: SitemapEntry[] = []
  readonly rejected: Record<string, number> = {}
  readonly maxEntries: number
  readonly #resolve: LinkResolver
  readonly #host: string

  constructor({ url, normalize }: SitemapOptions, maxEntries: number) {
    this.maxEntries = maxEntries
    this.#resolve = createLinkResolver(url, normalize)
    this.#host = hostOf(url)
  }

  add({ kind, href, mayBeRelative = false, alternates, ...facts }: RawSitemapEntry): void {
    if (this.pages.length + this.sitemaps.length >= this.maxEntries) {
      this.#reject(OVER_LIMIT)
      return
    }
    const resolved = mayBeRelative ? this.#resolve(href) : this.#resolveEntry(href)
    if (!resolved.ok) {
      this.#reject(resolved.reason)
      return
    }
    const { url } = resolved
    const others = alternates.flatMap(({ language, href: other }) => {
      const alternate = this.#resolveEntry(other)
      return alternate.ok ? [{ language, url: alternate.url }] : []
    })
    const list = kind === 'page' ? this.pages : this.sitemaps
    list.push({
      url,
      crossHost: hostOf(url) !== this.#host,
      ...facts,
      ...(others.length > 0 && { alternates: others }),
    })
  }

  /**
   * The protocol requires absolute URLs. A path from the root is unambiguous; anything else without a scheme is a mistake
   * (`www.x.org/a`, `&home;`), and would become a URL that was not meant.
   */
  #resolveEntry(href: string): SitemapUrl {
    return STARTS_URL.test(href) ? this.#resolve(href) : { ok: false, reason: 'not-absolute' }
  }

  /** Counts entries that a reader dropped for the limit. */
  passOver(entries: number): void {
    if (entries > 0) this.#reject(OVER_LIMIT, entries)
  }

  #reject(reason: string, entries = 1): void {
    this.rejected[reason] = (this.rejected[reason] ?? 0) + entries
  }
}

type SitemapUrl =
  | { readonly ok: true; readonly url: string }
  | { readonly ok: false; readonly reason: string }

const STARTS_URL = /^(?:[a-z][a-z\d+.-]*:|\/)/i
