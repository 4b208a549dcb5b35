import { withoutUndefined } from '../../base/without-undefined.ts'
import { parseWebDate } from '../content/web-date.ts'
import type { DbStatus } from '../crawldb/crawl-status.ts'
import { header } from '../fetch/headers.ts'
import type { Scoring } from '../scoring/scoring.ts'
import type { FetchRowStatus, ParseDataRow } from '../segment/segment-rows.ts'
import type { RecordedPage } from '../segment/segment-store.ts'
import { hostOf } from '../url/host-of.ts'
import { registeredDomain } from '../url/registered-domain.ts'
import {
  type IndexDocument,
  type IndexedLink,
  type IndexFilter,
  NOT_FOR_AN_INDEX,
  type PageLinks,
} from './index-document.ts'
import { type DocumentShape, shapeDocument } from './shape-document.ts'

/** The data of a page that may be indexed. */
export interface PageToIndex {
  readonly url: string
  /** Status of its record; absent if the CrawlDb does not know the page or is older than `page`. */
  readonly status?: DbStatus
  readonly score: number
  /** Metadata of its record. */
  readonly metadata: Readonly<Record<string, string>>
  /** Distinct anchor texts of its inlinks. */
  readonly anchors: readonly string[]
  /** The newest fetch that decides about its content; absent if no segment has one. */
  readonly page?: RecordedPage
  /** Of `dedup --near`. */
  readonly cluster?: string
  /** Links to it, if they were requested. */
  readonly inlinks?: readonly IndexedLink[]
}

export interface DocumentRules {
  readonly scoring: Pick<Scoring, 'indexBoost'>
  /** Use the canonical URL of pages as `url`. */
  readonly canonical: boolean
  /** Code points. */
  readonly maxTitleLength: number
  /** Code points. @default as much as was kept of the page */
  readonly maxContentLength?: number
  /** Names of metadata for documents, searched in this order: parse filters, the main content, response headers, record. */
  readonly metadata: readonly string[]
  readonly filter?: IndexFilter
  /** What documents get in addition, and replacements. @default nothing */
  readonly shape?: DocumentShape
  /** Maximum number of outlinks for documents and the filter. @default none */
  readonly maxOutlinks?: number
  /** The main content of a page; `undefined`: all its text counts. @default all text of each page */
  readonly mainContent?: (page: RecordedPage) => MainText | undefined
}

/** The main content of a page. */
export interface MainText {
  /** `''`: none was found. */
  readonly text: string
  /** h1 to h3. @default none */
  readonly headings?: readonly string[]
  /** What the page tells about it, by names of metadata: `published`, `author`. */
  readonly details: Readonly<Record<string, string | undefined>>
}

/** Why a page is not indexed. */
export type UnindexedReason =
  | 'gone'
  | 'redirect'
  | 'duplicate'
  | 'orphan'
  | 'unreadable'
  | 'noindex'
  | 'filter'
  | 'exchange'
  | 'unknown'

export type IndexVerdict =
  | { readonly kind: 'put'; readonly document: IndexDocument }
  | { readonly kind: 'delete'; readonly reason: UnindexedReason }
  /** Not decidable now: the index keeps its document. */
  | { readonly kind: 'leave' }

/** The change of an index for a page. @throws any error of the filter */
export async function makeDocument(known: PageToIndex, rules: DocumentRules): Promise<IndexVerdict> {
  const { status, page } = known
  if (isUnindexed(status)) return { kind: 'delete', reason: DB_REASONS[status] }
  // Segments may be deleted when they are indexed; a page that the CrawlDb has forgotten too is of no interest any more.
  if (page === undefined)
    return status === undefined ? { kind: 'delete', reason: 'unknown' } : { kind: 'leave' }
  const reason = FETCH_REASONS[page.fetch.status]
  if (reason !== undefined) return { kind: 'delete', reason }
  const { parseData, parseText } = page
  if (page.fetch.status !== 'fetch_success' || parseData === undefined) return { kind: 'leave' }
  if (parseData.noindex) return { kind: 'delete', reason: 'noindex' }
  if (parseData.status !== 'parsed' || parseText === undefined)
    return { kind: 'delete', reason: 'unreadable' }
  const main = rules.mainContent?.(page)
  const made = documentOf(known, page, parseData, { ...main, text: main?.text || parseText.text }, rules)
  const links = linksOf(known, parseData, rules.maxOutlinks)
  const shaped = rules.shape === undefined ? made : shapeDocument(made, rules.shape, links)
  const document = rules.filter === undefined ? shaped : await rules.filter(shaped, page, links)
  if (document === undefined) return { kind: 'delete', reason: 'filter' }
  return { kind: 'put', document: document === made ? made : cleanDocument(document, made.id) }
}

function linksOf(
  { inlinks }: PageToIndex,
  parseData: ParseDataRow,
  maxOutlinks: number | undefined,
): PageLinks {
  const outlinks =
    maxOutlinks === undefined
      ? undefined
      : parseData.outlinks
          .slice(0, maxOutlinks)
          .map((url, i) => ({ url, anchor: cleanText(parseData.anchors[i] ?? '') }))
  return withoutUndefined({ inlinks, outlinks })
}

const DB_REASONS = {
  db_gone: 'gone',
  db_duplicate: 'duplicate',
  db_redir_temp: 'redirect',
  db_redir_perm: 'redirect',
  db_orphan: 'orphan',
  db_parse_failed: 'unreadable',
} as const satisfies Record<(typeof NOT_FOR_AN_INDEX)[number], UnindexedReason>

const FETCH_REASONS: Readonly<Partial<Record<FetchRowStatus, UnindexedReason>>> = {
  fetch_gone: 'gone',
  fetch_redir_temp: 'redirect',
  fetch_redir_perm: 'redirect',
  parse_failed: 'unreadable',
}

function isUnindexed(status: DbStatus | undefined): status is (typeof NOT_FOR_AN_INDEX)[number] {
  return NOT_FOR_AN_INDEX.some((unindexed) => unindexed === status)
}

function documentOf(
  known: PageToIndex,
  page: RecordedPage,
  parseData: ParseDataRow,
  { text, headings = [], details = {} }: Pick<MainText, 'text'> & Partial<MainText>,
  rules: DocumentRules,
): IndexDocument {
  const { url } = known
  const host = hostOf(url)
  const domain = registeredDomain(host)
  const title = firstCodePoints(cleanText(parseData.title).trim(), rules.maxTitleLength)
  const { lastModified } = page.fetch.validators ?? {}
  const modifiedAt = lastModified === undefined ? undefined : parseWebDate(lastModified)
  return {
    id: url,
    url: (rules.canonical ? parseData.canonical : undefined) ?? url,
    host,
    ...(isRegistered(domain) && { domain }),
    ...(title !== '' && { title }),
    ...withoutUndefined({ description: descriptionOf(parseData, details) }),
    ...(headings.length > 0 && { headings: headings.map(cleanText) }),
    content: firstCodePoints(cleanText(text), rules.maxContentLength),
    anchors: distinct(known.anchors.map((anchor) => cleanText(anchor).trim())),
    ...withoutUndefined({ digest: parseData.signature }),
    boost: rules.scoring.indexBoost({ url, score: known.score, metadata: known.metadata }, 1),
    tstamp: page.fetch.fetchedAt,
    ...withoutUndefined({ lastModified: modifiedAt, published: dateOf(details['published']) }),
    ...(parseData.contentType !== '' && { type: parseData.contentType }),
    ...withoutUndefined({ lang: parseData.language?.toLowerCase() }),
    segment: page.segment,
    ...withoutUndefined({ cluster: known.cluster }),
    metadata: chosenMetadata(known, page, parseData, rules.metadata, details),
  }
}

function descriptionOf({ description }: ParseDataRow, details: MainText['details']): string | undefined {
  const text = cleanText(description ?? details['description'] ?? '').trim()
  return text === '' ? undefined : firstCodePoints(text, MAX_DESCRIPTION)
}

const MAX_DESCRIPTION = 1_000

function dateOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseWebDate(text)
}

/** False for IP addresses and names such as `localhost`. */
function isRegistered(domain: string): boolean {
  return domain.includes('.') && !domain.startsWith('[') && !/^[\d.]+$/.test(domain)
}

function chosenMetadata(
  { metadata: recorded }: PageToIndex,
  page: RecordedPage,
  { metadata: parsed, description }: ParseDataRow,
  names: readonly string[],
  details: MainText['details'],
): Record<string, string> {
  const chosen: Record<string, string> = {}
  for (const name of names) {
    const value =
      own(parsed, name) ??
      (name === 'description' ? description : undefined) ??
      (Object.hasOwn(details, name) ? details[name] : undefined) ??
      header(page.content?.headers ?? [], name.toLowerCase()) ??
      own(recorded, name)
    if (value !== undefined && value !== '') chosen[name] = cleanText(value)
  }
  return chosen
}

function own(values: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined
}

/** Checks and cleans a document of a filter. */
function cleanDocument(document: IndexDocument, id: string): IndexDocument {
  if (typeof document !== 'object' || document === null)
    throw new TypeError('index.filter has to return a document, or undefined')
  const cleaned = { ...(cleanValue(document) as IndexDocument), id }
  const wrong = Object.entries(FIELD_CHECKS).find(
    ([name, fits]) => !fits(cleaned[name as keyof IndexDocument]),
  )
  if (wrong !== undefined)
    throw new TypeError(`index.filter has returned a document whose ${wrong[0]} is not what an index takes`)
  return cleaned
}

const isText = (value: unknown) => typeof value === 'string'
const isTextOrAbsent = (value: unknown) => value === undefined || isText(value)
const isNumber = (value: unknown) => Number.isFinite(value)
const isNumberOrAbsent = (value: unknown) => value === undefined || isNumber(value)

/** Rejects documents that an index cannot store: one such document would block all others. */
const FIELD_CHECKS: Readonly<Record<keyof IndexDocument, (value: unknown) => boolean>> = {
  ...{ id: isText, url: isText, host: isText, segment: isText, content: isText },
  ...{ domain: isTextOrAbsent, title: isTextOrAbsent, description: isTextOrAbsent, digest: isTextOrAbsent },
  ...{ type: isTextOrAbsent, lang: isTextOrAbsent, cluster: isTextOrAbsent },
  ...{ boost: isNumber, tstamp: isNumber, lastModified: isNumberOrAbsent, published: isNumberOrAbsent },
  headings: (value) => value === undefined || isTextList(value),
  anchors: isTextList,
  metadata: (value) =>
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every((inner) => isText(inner) || isTextList(inner)),
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText)
}

function cleanValue(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value)
  if (Array.isArray(value)) return value.map(cleanValue)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, cleanValue(inner)]))
}

function firstCodePoints(text: string, length: number | undefined): string {
  if (length === undefined || text.length <= length) return text
  let end = 0
  for (let i = 0; i < length && end < text.length; i++) end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1
  return text.slice(0, end)
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)].filter((text) => text !== '')
}

/**
 * Text that every index accepts: lone surrogates and noncharacters are removed, and control characters other than tab and
 * line ends become spaces: XML does not allow them, and a form feed separates words.
 */
export function cleanText(text: string): string {
  const spaced = text.replace(CONTROLS, ' ')
  return MAYBE_NO_CHARACTER.test(spaced) ? spaced.replace(NO_CHARACTERS, '') : spaced
}

const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g
/** Halves of surrogate pairs, and noncharacters: most texts have none of these UTF-16 units. */
const MAYBE_NO_CHARACTER = /[\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]/
const NO_CHARACTERS = /[\p{Cs}\p{Noncharacter_Code_Point}]/gu
