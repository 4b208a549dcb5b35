import type { Json, JsonObject } from '../../base/json.ts'
import { headerFault, isMethod } from '../../domain/fetch/headers.ts'
import type { MetaInput, NoMetas } from './standard-schema.ts'

/**
 * The options of a request. Without options it is a GET request for the handler `parse`.
 * @example
 * ```ts
 * yield page.follow('/search', { form: { q: 'rain' }, handler: 'results', priority: 10 })
 * ```
 */
export interface RequestOptions<Names extends string = string> {
  /** Handler of the page. @default 'parse' */
  readonly handler?: Names
  /** @default 'GET', or 'POST' with a body, `json` or `form` */
  readonly method?: string
  /** Replace the headers of the settings. */
  readonly headers?: Readonly<Record<string, string>>
  /** At most one of `body`, `json` and `form`. */
  readonly body?: string | Uint8Array
  /** Sent as application/json. */
  readonly json?: Json
  /** Sent as application/x-www-form-urlencoded. */
  readonly form?: Readonly<Record<string, string | number | readonly string[]>>
  /** Sent in addition to those of the cookie jar. */
  readonly cookies?: Readonly<Record<string, string>>
  /** Higher is requested first. @default 0 */
  readonly priority?: number
  /** JSON data for the handler: `page.meta`. */
  readonly meta?: JsonObject
  /** Send the request even if an equal one was sent before. @default false */
  readonly dontFilter?: boolean
  /** With `sessions`: that of this page (`same`), one without requests so far (`new`), or the one with this id. @default any */
  readonly session?: 'same' | 'new' | (string & {})
  /** Send the request this many seconds later. @default 0 */
  readonly delaySeconds?: number
  /** Earliest time of the request: a date or ms since the epoch. */
  readonly notBefore?: Date | number
}

/**
 * The options of a request, or the name of its handler alone. A handler with a meta schema needs `meta` of that type.
 * @typeParam Names of all handlers
 * @typeParam Metas the meta schemas, by handler
 */
export type HandlerRequest<Names extends string, Metas = NoMetas> =
  | Exclude<Names, keyof Metas>
  | RequestOptions<Exclude<Names, keyof Metas>>
  | {
      [Name in keyof Metas]: Omit<RequestOptions, 'handler' | 'meta'> & {
        readonly handler: Name
        readonly meta: MetaInput<Metas[Name]>
      }
    }[keyof Metas]

/**
 * Method, headers and body of a request, as plain data.
 * @throws TypeError for a header, method or body that cannot be sent
 */
export function requestParts(options: RequestOptions): {
  method?: string
  headers?: Record<string, string>
  body?: string
  base64?: true
} {
  const body = bodyOf(options)
  const method = (options.method ?? (body === undefined ? 'GET' : 'POST')).toUpperCase()
  const headers: Record<string, string> = {}
  if (body?.type !== undefined) headers['content-type'] = body.type
  Object.assign(headers, sendable(options.headers ?? {}))
  const cookies = Object.entries(options.cookies ?? {}).map(([name, value]) => `${name}=${value}`)
  if (cookies.length > 0) Object.assign(headers, sendable({ cookie: cookies.join('; ') }))
  if (!isMethod(method)) throw new TypeError(`${JSON.stringify(method)} is not an HTTP method`)
  return {
    ...(method !== 'GET' && { method }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(body !== undefined && { body: body.text }),
    ...(body?.base64 === true && { base64: true }),
  }
}

/** Headers with lower-case names. @throws TypeError for one that cannot be sent */
export function sendable(headers: Readonly<Record<string, string>>): Record<string, string> {
  const sent: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    const fault = headerFault(name.toLowerCase(), value)
    if (fault !== undefined) throw new TypeError(fault)
    sent[name.toLowerCase()] = value
  }
  return sent
}

interface Body {
  readonly text: string
  readonly type?: string
  readonly base64?: boolean
}

function bodyOf({ body, json, form }: RequestOptions): Body | undefined {
  const given = [body, json, form].filter((value) => value !== undefined)
  if (given.length > 1) throw new TypeError('a request has one body: set only one of body, json and form')
  if (json !== undefined) return { text: JSON.stringify(json), type: 'application/json' }
  if (form !== undefined) return { text: formText(form), type: 'application/x-www-form-urlencoded' }
  if (typeof body === 'string') return { text: body }
  if (body !== undefined) return { text: Buffer.from(body).toString('base64'), base64: true }
  return undefined
}

function formText(form: NonNullable<RequestOptions['form']>): string {
  const fields = new URLSearchParams()
  for (const [name, value] of Object.entries(form))
    for (const one of typeof value === 'object' ? value : [value]) fields.append(name, String(one))
  return fields.toString()
}
