import { z } from 'zod'
import type { Json, JsonObject } from '../../base/json.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import { normalizeUrl } from '../../domain/url/normalize-url.ts'
import type { StartOptions, StartReading } from './start-request.ts'
import { isSendable, wireText } from './wire-text.ts'

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
export function readRichStart(message: JsonObject): StartReading {
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
