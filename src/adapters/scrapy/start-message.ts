import type { Json, JsonObject } from '../../base/json.ts'
import { cutChars } from '../../domain/html/characters.ts'
import { normalizeUrl } from '../../domain/url/normalize-url.ts'
import { parsePythonJson } from './python-json.ts'
import { readRichStart } from './rich-start.ts'
import type { StartReading } from './start-request.ts'
import { readStrictStart } from './strict-start.ts'
import { utf8Text } from './utf8-text.ts'

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
