import { withoutUndefined } from '../../base/without-undefined.ts'
import type { FeedItem, FeedOptions, ParsedFeed } from './parse-feed.ts'
import { parseWebDate } from './web-date.ts'

/** JSON Feed 1.0 and 1.1; `undefined` when the text is not one. */
export function parseJsonFeed(
  json: string,
  { maxItems = 200_000 }: FeedOptions = {},
): ParsedFeed | undefined {
  const feed = parseObject(json)
  if (feed === undefined || !stringOf(feed, 'version')?.startsWith('https://jsonfeed.org/version/'))
    return undefined
  const listed = own(feed, 'items')
  const items = Array.isArray(listed) ? listed.flatMap(itemOf) : []
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

function itemOf(item: unknown): FeedItem[] {
  const href = isObject(item) ? (stringOf(item, 'url') ?? stringOf(item, 'external_url')) : undefined
  if (!isObject(item) || href === undefined) return []
  const title = stringOf(item, 'title')
  const publishedAt = parseWebDate(stringOf(item, 'date_published') ?? stringOf(item, 'date_modified') ?? '')
  return [{ href, ...withoutUndefined({ title, publishedAt }) }]
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function stringOf(object: JsonObject, key: string): string | undefined {
  const value = own(object, key)
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** The keys come from outside: what an object inherits is not a response. */
function own(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined
}
