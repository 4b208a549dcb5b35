import { CrawlError } from '../../base/crawl-error.ts'
import type { JsonObject } from '../../base/json.ts'

/**
 * A schema of any library that follows Standard Schema (zod, valibot, arktype, …), as far as items need it.
 * @see https://standardschema.dev
 */
export interface StandardSchema<Input, Output> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    /** Checks a value, and may convert it. */
    readonly validate: (value: unknown) => SchemaVerdict<Output> | Promise<SchemaVerdict<Output>>
    /** Never there at run time. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
  }
}

/** The schemas of `page.meta`, by the name of the handler. */
// biome-ignore lint/suspicious/noExplicitAny: each handler has its own type of meta
export type MetaSchemas = Readonly<Record<string, StandardSchema<any, any>>>

/** No handler has a schema for its meta. */
export type NoMetas = Record<never, never>

/** The meta that a request for the handler carries. */
export type MetaInput<Schema> = Schema extends StandardSchema<infer Input, unknown> ? Input : never

/** The type of `page.meta` in the handler `Name`. */
export type MetaOf<Metas, Name> = Name extends keyof Metas
  ? Metas[Name] extends StandardSchema<unknown, infer Output>
    ? Output
    : never
  : JsonObject

/** The result of a schema: the value, or what is wrong with it. */
export type SchemaVerdict<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] }

/** One mistake in a value, and the path of keys to it. */
export interface SchemaIssue {
  readonly message: string
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined
}

/** What is wrong with an item, in a line: `price: expected number; title: too short`. */
export function describeIssues(issues: readonly SchemaIssue[]): string {
  const lines = issues.map(({ message, path = [] }) => {
    const where = path.map((step) => String(typeof step === 'object' ? step.key : step)).join('.')
    return where === '' ? message : `${where}: ${message}`
  })
  return lines.join('; ') || 'the schema refuses it'
}

/**
 * The `meta` of a request does not match the schema of its handler.
 * Remedy: Fix the handler that made the request.
 */
export class MetaInvalid extends CrawlError {
  readonly code = 'META_INVALID'
  readonly retryable = false
}

/**
 * The meta of a request, checked by the schema of its handler. Keys that begin with `$` are internal, and not checked.
 * @throws MetaInvalid
 */
export function checkMeta(
  meta: JsonObject,
  schema: StandardSchema<unknown, unknown>,
  handler: string,
): unknown {
  const own = Object.fromEntries(Object.entries(meta).filter(([key]) => !key.startsWith('$')))
  const verdict = schema['~standard'].validate(own)
  if (verdict instanceof Promise)
    throw new TypeError(`the meta schema of ${handler} must not be asynchronous`)
  if (verdict.issues !== undefined)
    throw new MetaInvalid(
      `the meta of this request does not match the schema of handler ${handler}: ${describeIssues(verdict.issues)}`,
    )
  return verdict.value
}
