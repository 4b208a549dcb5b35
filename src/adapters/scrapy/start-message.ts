import { z } from 'zod'
import type { Json, JsonObject } from '../../base/json.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import { cutChars } from '../../domain/html/characters.ts'
import { normalizeUrl } from '../../domain/url/normalize-url.ts'
import { encodeField } from './percent-encoding.ts'
import { parsePythonJson } from './python-json.ts'
import { isSendable, utf8Text, wireText } from './python-text.ts'
import { safeParts } from './safe-url.ts'

/** A start request as plain data: what a spider's request is made of. */
export interface StartRequest {
  /** Absolute, not normalised. */
  readonly href: string
  readonly options: StartOptions
}

/** As the spider's request options have them. */
export interface StartOptions {
  readonly handler?: string
  readonly method?: string
  /** Lower-case names; values that can be sent. */
  readonly headers?: Readonly<Record<string, string>>
  /** At most one of `body`, `json` and `form`. */
  readonly body?: string
  readonly json?: Json
  readonly form?: Readonly<Record<string, string | number | readonly string[]>>
  readonly cookies?: Readonly<Record<string, string>>
  readonly priority?: number
  readonly meta?: JsonObject
  readonly dontFilter: boolean
}

export type StartReading =
  | { readonly ok: true; readonly start: StartRequest }
  | { readonly ok: false; readonly reason: string }

export interface StartMessageOptions {
  /**
   * `strict`: as scrapy-redis reads it, where every member except `url`, `method` and `meta` is form data. `rich`: with headers,
   * body, json, form, cookies, priority, handler, meta and dontFilter; what it does not know is refused. @default 'rich'
   */
  readonly reading?: 'strict' | 'rich'
  /** @default 1 MiB */
  readonly maxBytes?: number
}

/** Reads a message of `<spider>:start_urls`: a bare URL or a JSON object. It never throws: anyone may have pushed it. */
export function readStartMessage(
  message: string | Uint8Array,
  { reading = 'rich', maxBytes = 1024 * 1024 }: StartMessageOptions = {},
): StartReading {
  const read = readMessage(message, reading, maxBytes)
  return read.ok ? read : { ok: false, reason: cutChars(read.reason, MAX_REASON_LENGTH) }
}

/** In characters. A reason quotes the message, which may be long. */
const MAX_REASON_LENGTH = 300

function readMessage(
  message: string | Uint8Array,
  reading: 'strict' | 'rich',
  maxBytes: number,
): StartReading {
  if (message.length > maxBytes) return { ok: false, reason: `more than ${maxBytes} bytes` }
  const text = typeof message === 'string' ? message : utf8Text(message)
  if (text === undefined) return { ok: false, reason: 'not UTF-8' }
  const json = parsePythonJson(text)
  if (!json.ok) return readBareUrl(text, json.reason)
  if (!isObject(json.value)) return { ok: false, reason: 'JSON, but no object' }
  return reading === 'strict' ? readStrictStart(json.value) : readRichStart(json.value)
}

function readBareUrl(text: string, jsonProblem: string): StartReading {
  if (/^\s*[{[]/.test(text)) return { ok: false, reason: `broken JSON: ${jsonProblem}` }
  const href = text.trim()
  const normal = normalizeUrl(href)
  if (!normal.ok) return { ok: false, reason: `neither JSON nor a URL: ${normal.detail}` }
  return { ok: true, start: { href, options: { dontFilter: true } } }
}

function isObject(json: Json): json is JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}

/** What a start message may say in the richer reading. Scrapy's names are taken for ours. */
const RICH_MESSAGE = z.strictObject({
  url: z.string(),
  method: z
    .string()
    .regex(/^[A-Za-z]+$/)
    .optional(),
  headers: z.record(z.string(), z.string()).optional(),
  body: z.string().optional(),
  json: z.unknown().optional(),
  form: z.record(z.string(), z.union([z.string(), z.number(), z.array(z.string())])).optional(),
  cookies: z.record(z.string(), z.string()).optional(),
  priority: z.number().optional(),
  handler: z.string().min(1).optional(),
  callback: z.string().min(1).optional(),
  meta: z.record(z.string(), z.unknown()).optional(),
  dontFilter: z.boolean().optional(),
  dont_filter: z.boolean().optional(),
})

const COOKIE_NAME = /^[^\0-\x20;=\x7f-\uffff]+$/
const COOKIE_VALUE = /^[^\0-\x1f;\x7f-\uffff]*$/

/** A start message with all members of a request. Unknown members are rejected, not ignored. */
function readRichStart(message: JsonObject): StartReading {
  const parsed = RICH_MESSAGE.safeParse(message)
  if (!parsed.success) return refused(parsed.error.issues.map(issueText).join('; '))
  const { url, method, body, json, form, cookies = {}, priority, meta } = parsed.data
  const normal = normalizeUrl(url)
  if (!normal.ok) return refused(`url: ${normal.detail}`)
  if ([body, json, form].filter((given) => given !== undefined).length > 1)
    return refused('a request has one body: give body, json or form')
  const headers = sentHeaders(parsed.data.headers ?? {})
  for (const [name, value] of Object.entries(headers))
    if (!isSendable(name, value)) return refused(`headers.${name}: cannot be sent`)
  for (const [name, value] of Object.entries(cookies))
    if (!COOKIE_NAME.test(name) || !COOKIE_VALUE.test(value))
      return refused(`cookies.${name}: cannot be sent`)

  const handler = parsed.data.handler ?? parsed.data.callback
  const options: StartOptions = {
    ...withoutUndefined({ handler }),
    ...(method !== undefined && { method: method.toUpperCase() }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...withoutUndefined({ body }),
    ...(json !== undefined && { json: json as Json }),
    ...withoutUndefined({ form }),
    ...(Object.keys(cookies).length > 0 && { cookies }),
    ...withoutUndefined({ priority }),
    ...(meta !== undefined && { meta: meta as JsonObject }),
    dontFilter: parsed.data.dontFilter ?? parsed.data.dont_filter ?? true,
  }
  return { ok: true, start: { href: url, options } }
}

function sentHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), wireText(value)]),
  )
}

function issueText({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0 ? message : `${path.join('.')}: ${message}`
}

function refused(reason: string): StartReading {
  return { ok: false, reason }
}

/**
 * A start message as scrapy-redis reads it: what it would raise an error for, or drop with a warning, has a reason here. Form data is
 * written byte by byte as Scrapy does, so that both sides give the request one fingerprint; only names that are
 * whole numbers come first, as everywhere in JavaScript.
 */
function readStrictStart(message: JsonObject): StartReading {
  const { url, method = 'GET', meta = null, ...fields } = message
  if (typeof url !== 'string') return { ok: false, reason: 'url: missing, or no text' }
  if (typeof method !== 'string' || !/^[A-Za-z]+$/.test(method))
    return { ok: false, reason: 'method: not one' }
  if (typeof meta !== 'object' || Array.isArray(meta)) return { ok: false, reason: 'meta: not an object' }
  const normal = normalizeUrl(url)
  const parts = safeParts(url, {})
  if (!normal.ok || parts === undefined)
    return { ok: false, reason: `url: ${normal.ok ? 'Scrapy has no form for it' : normal.detail}` }

  const pairs: string[] = []
  for (const [name, value] of Object.entries(fields)) {
    const texts = formTexts(value)
    if (texts === undefined) return { ok: false, reason: `${name}: form data is text or a list of texts` }
    for (const text of texts) pairs.push(`${encodeField(wireText(name))}=${encodeField(wireText(text))}`)
  }
  const verb = method.toUpperCase()
  const form = Object.keys(fields).length === 0 ? undefined : pairs.join('&')
  const isPosted = form !== undefined && verb === 'POST'
  const query = form === undefined || isPosted ? parts.query : form
  return {
    ok: true,
    start: {
      href: `${parts.scheme}://${parts.netloc}${parts.path}${query && `?${query}`}`,
      options: {
        ...(verb !== 'GET' && { method: verb }),
        ...(isPosted && { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: form }),
        ...(meta !== null && { meta: meta as JsonObject }),
        dontFilter: true,
      },
    },
  }
}

/** Scrapy iterates over a value that is not text; the items of an object are its names. */
function formTexts(value: Json | undefined): readonly string[] | undefined {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return undefined
  const items: readonly Json[] = Array.isArray(value) ? value : Object.keys(value)
  return items.every((item) => typeof item === 'string') ? items : undefined
}
