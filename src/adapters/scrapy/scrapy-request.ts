import type { Json, JsonObject } from '../../base/json.ts'
import type { CrawlRequest } from '../../domain/frontier/crawl-request.ts'
import { cutChars } from '../../domain/html/characters.ts'
import { normalizeUrl, type UrlNormalizer } from '../../domain/url/normalize-url.ts'
import { jsonOfPickle, type PickleDict, type PickleValue } from './pickle-value.ts'
import { utf8Text } from './python-text.ts'
import { cookieHeader, requestHeaders } from './scrapy-headers.ts'

export type ScrapyRequestReading =
  | {
      readonly ok: true
      readonly request: CrawlRequest
      /** What it had and we have no place for, such as `errback` or `meta.started`: for a line in the log. */
      readonly dropped: readonly string[]
      /** It comes from this rule of a `CrawlSpider`, and the handler of the rule is not known. */
      readonly unknownRule?: number
    }
  | { readonly ok: false; readonly reason: string }

/** What becomes of requests that a rule of a `CrawlSpider` made: Redis has only the number of the rule. */
export interface ScrapyRule {
  readonly handler: string
  /** Added to that of the request. */
  readonly meta?: JsonObject
}

/** Of what was dropped, in characters: a stranger chose it, and it ends in a log. */
const MAX_NAME_LENGTH = 80

/**
 * A request of `<spider>:requests`, as `readSerialized` gave it, as one of ours. The callback's name becomes the handler's;
 * `cb_kwargs`, if any, are found in `meta.cb_kwargs`.
 * @param rules of a `CrawlSpider`, in their order
 */
export function readScrapyRequest(
  value: PickleValue,
  normalize: UrlNormalizer = normalizeUrl,
  rules: readonly ScrapyRule[] = [],
): ScrapyRequestReading {
  if (!(value instanceof Map)) return { ok: false, reason: 'not a request: no dict' }
  const url = textOf(value.get('url'))
  const normal = url === undefined ? undefined : normalize(url)
  if (normal === undefined) return { ok: false, reason: 'not a request: no url' }
  if (!normal.ok) return { ok: false, reason: `url: ${normal.detail}` }
  const method = (textOf(value.get('method')) ?? 'GET').toUpperCase()
  if (!/^[A-Z]+$/.test(method)) return { ok: false, reason: 'method: not one' }
  const callback = handlerName(value.get('callback'))
  if (callback === undefined) return { ok: false, reason: 'callback: not the name of a method' }
  const body = bodyOf(value.get('body'))
  if (body === undefined) return { ok: false, reason: 'body: neither text nor bytes' }
  const ruleNumber = RULE_CALLBACKS.has(callback) ? dictOf(value.get('meta')).get('rule') : undefined
  const rule = typeof ruleNumber === 'number' ? rules[ruleNumber] : undefined

  const dropped: string[] = []
  if ((value.get('errback') ?? null) !== null) dropped.push('errback')
  const meta = { ...metaOf(value, dropped), ...rule?.meta }
  const headers = requestHeaders(value.get('headers'), dropped)
  const cookie = cookieHeader(headers['cookie'], value.get('cookies'), normal.url, dropped)
  if (cookie !== undefined) headers['cookie'] = cookie
  const from = normalize(headers['referer'] ?? '')
  const priority = wholeNumber(value.get('priority'))
  const request: CrawlRequest = {
    url: normal.url,
    ...(method !== 'GET' && { method }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...body,
    handler: rule?.handler ?? callback,
    ...(Object.keys(meta).length > 0 && { meta }),
    ...(priority !== 0 && { priority }),
    ...(value.get('dont_filter') === true && { dontFilter: true }),
    depth: Math.max(0, wholeNumber(dictOf(value.get('meta')).get('depth'))),
    ...(from.ok && { from: from.url }),
  }
  return {
    ok: true,
    request,
    dropped: dropped.map((name) => cutChars(name, MAX_NAME_LENGTH)),
    ...(typeof ruleNumber === 'number' && rule === undefined && { unknownRule: ruleNumber }),
  }
}

/** What Scrapy's `CrawlSpider` calls for the requests of all its rules: since 2.0, and before. */
const RULE_CALLBACKS: ReadonlySet<string> = new Set(['_callback', '_response_downloaded'])

/** `_parse` is what a `CrawlSpider` has for its start pages. */
function handlerName(callback: PickleValue | undefined): string | undefined {
  return (callback ?? null) === null || callback === '_parse' ? 'parse' : textOf(callback) || undefined
}

/** All of it that JSON can hold, but for the depth, which has a place of its own. */
function metaOf(request: PickleDict, dropped: string[]): JsonObject {
  const meta: [string, Json][] = []
  for (const [key, value] of dictOf(request.get('meta'))) {
    const json = jsonOfPickle(value)
    if (key === 'depth') continue
    if (typeof key === 'string' && json !== undefined) meta.push([key, json])
    else dropped.push(`meta.${String(key)}`)
  }
  const kwargs = dictOf(request.get('cb_kwargs'))
  const json = jsonOfPickle(kwargs)
  if (json === undefined) dropped.push('cb_kwargs')
  else if (kwargs.size > 0) meta.push(['cb_kwargs', json])
  return Object.fromEntries(meta)
}

/** Base64 only for bytes that are not text, so that a form is readable in the store. */
function bodyOf(body: PickleValue | undefined): Pick<CrawlRequest, 'body' | 'base64'> | undefined {
  if (typeof body === 'string') return body === '' ? {} : { body }
  if ((body ?? null) === null) return {}
  if (!(body instanceof Uint8Array)) return undefined
  if (body.length === 0) return {}
  const text = utf8Text(body)
  return text === undefined ? { body: Buffer.from(body).toString('base64'), base64: true } : { body: text }
}

function wholeNumber(value: PickleValue | undefined): number {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : 0
}

function dictOf(value: PickleValue | undefined): PickleDict {
  return value instanceof Map ? value : new Map()
}

function textOf(value: PickleValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}
