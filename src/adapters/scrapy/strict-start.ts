import type { Json, JsonObject } from '../../base/json.ts'
import { normalizeUrl } from '../../domain/url/normalize-url.ts'
import { encodeField } from './percent-encoding.ts'
import { safeParts } from './safe-url.ts'
import type { StartReading } from './start-request.ts'
import { wireText } from './wire-text.ts'

/**
 * A start message as scrapy-redis reads it: what it would raise an error for, or drop with a warning, has a reason here. Form data is
 * written byte by byte as Scrapy does, so that both sides give the request one fingerprint; only names that are
 * whole numbers come first, as everywhere in JavaScript.
 */
export function readStrictStart(message: JsonObject): StartReading {
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
