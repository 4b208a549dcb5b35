import { withoutUndefined } from '../../base/without-undefined.ts'
import { createLinkResolver } from '../url/link-resolver.ts'
import { decodeText } from './decode-text.ts'
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
import { type FoundLink, resolveLinks } from './page-links.ts'
import type { ReadOptions } from './page-reading.ts'
import {
  changedAt,
  type FeedItem,
  type FeedItemDetails,
  type FeedOptions,
  type ParsedFeed,
  parseFeed,
} from './parse-feed.ts'
import { parseWebDate } from './web-date.ts'

/** RSS, RDF and Atom. Its text is its titles. */
export const readFeed: FormatReader = (input, options) =>
  read(input, options, 'xml', parseFeed) ??
  unread('failed', 'not-a-feed', `no feed in ${input.bytes.length} bytes of XML`)

/** JSON is read when it is a JSON Feed. */
export const readJson: FormatReader = (input, options) =>
  read(input, options, 'text', parseJsonFeed) ??
  unread('skipped', 'unsupported-type', 'JSON that is not a feed')

function read(
  { url, bytes, headerCharset }: FormatInput,
  { normalize, scan = {} }: ReadOptions,
  syntax: 'xml' | 'text',
  parse: (text: string, options: FeedOptions) => ParsedFeed | undefined,
): FormatReading | undefined {
  const { maxLinks = DEFAULT_MAX_LINKS, maxTextChars = DEFAULT_MAX_TEXT_CHARS } = scan
  const { text: source, charset, charsetSource } = decodeText(bytes, { syntax, headerCharset })
  const feed = parse(source, { maxItems: maxLinks })
  if (feed === undefined) return undefined
  const { title = '', description, items } = feed
  const text = [title, description, ...items.map((item) => item.title)].filter(Boolean).join('\n')
  const language = primaryLanguage(feed.language)
  return {
    ok: true,
    metas: [],
    truncated: feed.itemsDropped > 0 || text.length > maxTextChars,
    findings: {
      ...NO_FINDINGS,
      charset,
      charsetSource,
      title,
      text: text.slice(0, maxTextChars),
      ...withoutUndefined({ description, language }),
      ...resolveLinks(linksOf(feed), url, createLinkResolver(url, normalize), feed.itemsDropped),
    },
  }
}

function* linksOf({ home, title = '', items }: ParsedFeed): Generator<FoundLink> {
  if (home !== undefined) yield { href: home, anchor: title, rel: [], kind: 'feed' }
  for (const item of items) {
    const { href, title: anchor = '' } = item
    if (href === undefined) continue
    const lastModified = changedAt(item)
    yield {
      ...{ href, anchor, rel: [], kind: 'feed' },
      ...(lastModified !== undefined && { listed: { lastModified } }),
    }
  }
}

/** JSON Feed 1.0 and 1.1; `undefined` when the text is not one. */
export function parseJsonFeed(
  json: string,
  { maxItems = 200_000, details = false }: FeedOptions = {},
): ParsedFeed | undefined {
  const feed = parseObject(json)
  if (feed === undefined || !stringOf(feed, 'version')?.startsWith('https://jsonfeed.org/version/'))
    return undefined
  const listed = own(feed, 'items')
  const items = Array.isArray(listed) ? listed.flatMap((item) => itemOf(item, details)) : []
  const title = stringOf(feed, 'title')
  const description = stringOf(feed, 'description')
  const language = stringOf(feed, 'language')
  const home = stringOf(feed, 'home_page_url')
  return {
    ...withoutUndefined({ title, description, language, home }),
    items: items.slice(0, maxItems),
    itemsDropped: Math.max(0, items.length - maxItems),
  }
}

type JsonObject = Readonly<Record<string, unknown>>

function parseObject(json: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function itemOf(item: unknown, hasDetails: boolean): FeedItem[] {
  if (!isObject(item)) return []
  const href = stringOf(item, 'url') ?? stringOf(item, 'external_url')
  if (href === undefined && !hasDetails) return []
  const title = stringOf(item, 'title')
  const publishedAt = parseWebDate(stringOf(item, 'date_published') ?? '')
  const updatedAt = parseWebDate(stringOf(item, 'date_modified') ?? '')
  return [
    {
      ...withoutUndefined({ href, title, publishedAt, updatedAt }),
      ...(hasDetails && { details: detailsOf(item) }),
    },
  ]
}

function detailsOf(item: JsonObject): FeedItemDetails {
  const [author] = [...objectsIn(item, 'authors'), own(item, 'author')].filter(isObject)
  const tags = own(item, 'tags')
  return {
    categories: Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : [],
    enclosures: objectsIn(item, 'attachments').flatMap((file) => {
      const href = stringOf(file, 'url')
      return href === undefined ? [] : [{ href, ...withoutUndefined({ type: stringOf(file, 'mime_type') }) }]
    }),
    ...withoutUndefined({
      id: stringOf(item, 'id'),
      author: author && stringOf(author, 'name'),
      summary: stringOf(item, 'summary'),
      content: stringOf(item, 'content_html') ?? stringOf(item, 'content_text'),
    }),
  }
}

function objectsIn(object: JsonObject, key: string): JsonObject[] {
  const list = own(object, key)
  return Array.isArray(list) ? list.filter(isObject) : []
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function stringOf(object: JsonObject, key: string): string | undefined {
  const value = own(object, key)
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** The keys come from outside, so inherited properties do not count. */
function own(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined
}
