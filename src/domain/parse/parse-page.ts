import type { DropCounts } from '../../base/drop-counts.ts'
import { printable } from '../../base/printable.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import { DEFAULT_MAX_TEXT_CHARS } from '../content/format-reader.ts'
import { pageAiUse } from '../content/page-ai-use.ts'
import type { PageLink, PageReading } from '../content/page-reading.ts'
import { OVER_LIMIT } from '../content/parse-sitemap.ts'
import { readDocument } from '../content/read-document.ts'
import type { ParseDataRow, ParsedRows } from '../segment/segment-rows.ts'
import { type KeptLinks, keptLinks } from './kept-links.ts'
import type { ParseRules } from './parse-rules.ts'
import {
  failedParse,
  PARSE_FAILED,
  type PageParser,
  type PageToParse,
  type ParsedPage,
} from './parsed-page.ts'

/** Reads a page and makes its segment rows. Never throws: an error of the parser or a parse filter is a failed parse. */
export async function parsePage(page: PageToParse, rules: ParseRules): Promise<ParsedPage<ParsedRows>> {
  try {
    return await readPageRows(page, rules)
  } catch (error) {
    return failedParse(page.url, '', printable(`the parser failed on this page: ${String(error)}`))
  }
}

async function readPageRows(page: PageToParse, rules: ParseRules): Promise<ParsedPage<ParsedRows>> {
  const { url } = page
  const reading = await readDocument(page, rules.reading)
  const filtered = await filterPage(page, reading, rules)
  if (!filtered.ok) return failedParse(url, reading.type, filtered.reason)
  const sitemaps = sitemapLinks(page, rules)
  const kept = keptLinks(page, filtered.reading, rules, sitemaps.links)
  const { md5, textProfile } = reading.signatures
  const signature = rules.signature === 'md5' ? md5 : textProfile
  const { links, scoreGiven, refreshTo } = kept
  const parseData = parseDataOf(reading, kept, filtered.metadata, signature)
  const { status, reason, contentType } = parseData
  return {
    ...{ status, contentType, scoreGiven },
    ...withoutUndefined({ reason, signature, refreshTo }),
    aiUse: pageAiUse(reading),
    dropped: { ...kept.dropped, ...sitemaps.dropped, ...bodyDrops(page, reading, rules) },
    rows: {
      parseData,
      ...(status === 'parsed' && { parseText: { url, text: reading.text } }),
      links,
    },
  }
}

/** Links to the sitemaps of the site, and the number of lines in robots.txt that are not URLs. */
function sitemapLinks(
  { url, sitemaps = [] }: PageToParse,
  { reading }: ParseRules,
): { readonly links: readonly PageLink[]; readonly dropped: DropCounts } {
  const links = sitemaps.flatMap((written): PageLink[] => {
    const found = reading.normalize(URL.parse(written, url)?.href ?? written)
    return found.ok
      ? [{ url: found.url, anchor: '', rel: [], kind: 'sitemap', listed: { isSitemap: true } }]
      : []
  })
  const invalid = sitemaps.length - links.length
  return { links, dropped: invalid === 0 ? {} : { [INVALID_SITEMAPS]: invalid } }
}

/** A body that was complete when it was fetched: it decodes to more than a sitemap may have, or its gzip is damaged. */
const CUT_SITEMAP = 'body over 50 MB decoded, or damaged gzip'
const INVALID_SITEMAPS = 'invalid Sitemap in robots.txt'

/** Parses pages in the calling thread. */
export class InlineParser implements PageParser {
  readonly #rules: ParseRules

  constructor(rules: ParseRules) {
    this.#rules = rules
  }

  parse(page: PageToParse): Promise<ParsedPage<ParsedRows>> {
    return parsePage(page, this.#rules)
  }

  close(): Promise<void> {
    return Promise.resolve()
  }
}

/** What was not read of the body. A truncated text may be one unit shorter than the limit, so that no surrogate pair is split. */
function bodyDrops(
  page: PageToParse,
  { status, truncated, text, kind, reason, detail = '', sitemap, rejectedLinks }: PageReading,
  { reading }: ParseRules,
): DropCounts {
  // The detail ends with the command that installs the library.
  if (reason === 'library-missing') return { [`documents not read (${detail.split(': ').at(-1)})`]: 1 }
  if (status === 'failed') return { [PARSE_FAILED]: 1 }
  if (!truncated) return {}
  const { maxTextChars = DEFAULT_MAX_TEXT_CHARS } = reading.scan ?? {}
  if (text.length >= maxTextChars - 1) return { 'parse.maxTextChars': 1 }
  if (kind === 'pdf') return { 'pages of a PDF': 1 }
  const isCounted = page.truncated || rejectedLinks[OVER_LIMIT] !== undefined || (kind !== 'gzip' && !sitemap)
  return isCounted ? {} : { [CUT_SITEMAP]: 1 }
}

type Filtered =
  | { readonly ok: true; readonly reading: PageReading; readonly metadata: Record<string, string> }
  | { readonly ok: false; readonly reason: string }

async function filterPage(
  { url, headers, bytes, metadata }: PageToParse,
  read: PageReading,
  { parseFilters }: ParseRules,
): Promise<Filtered> {
  let reading = read
  const added: Record<string, string> = { ...read.metadata }
  for (const filter of parseFilters) {
    try {
      const change = await filter.filter({ url, headers, bytes, reading, metadata })
      Object.assign(added, change?.metadata)
      if (change?.links !== undefined) reading = { ...reading, links: change.links }
    } catch (error) {
      return { ok: false, reason: printable(`parse filter ${filter.name}: ${String(error)}`) }
    }
  }
  return { ok: true, reading, metadata: added }
}

function parseDataOf(
  reading: PageReading,
  { outlinks, anchors }: KeptLinks,
  metadata: Readonly<Record<string, string>>,
  signature: string | undefined,
): ParseDataRow {
  const { url, status, title, description, language, charset, directives, signatures } = reading
  const { textProfile, simHash, sketch } = signatures
  const reason = reading.detail ?? reading.reason
  return {
    url,
    status,
    ...withoutUndefined({ reason }),
    title,
    ...withoutUndefined({ description, language, charset }),
    contentType: reading.type,
    ...withoutUndefined({ canonical: reading.canonical?.url }),
    noindex: directives.noindex,
    nofollow: directives.nofollow,
    directives: JSON.stringify(directives),
    ...withoutUndefined({ signature, textProfile, simHash, sketch }),
    outlinks,
    anchors,
    metadata,
  }
}
