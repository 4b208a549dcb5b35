import type { JsonObject } from '../../base/json.ts'
import { Drop } from './drop.ts'
import type { ItemSource, Pipeline } from './pipeline.ts'
import { describeIssues, type StandardSchema } from './standard-schema.ts'
import { isPromise } from './time-limit.ts'

/** What became of an item. */
export type ProcessedItem =
  | { readonly kind: 'kept'; readonly item: JsonObject }
  /** Its schema refuses it. */
  | { readonly kind: 'rejected'; readonly item: JsonObject; readonly reason: string }
  /** A pipeline did not want it. */
  | { readonly kind: 'dropped'; readonly reason: string }

/**
 * Takes an item through its schema, then the pipelines in their order. At once, unless one of them returns a promise.
 * @throws what the schema or a pipeline throws
 */
export function processItem(
  given: unknown,
  source: ItemSource,
  schema: StandardSchema<unknown, unknown> | undefined,
  pipelines: readonly Pipeline<unknown>[],
): ProcessedItem | Promise<ProcessedItem> {
  if (schema === undefined) return pass(given, source, pipelines, 0)
  return after(schema['~standard'].validate(given), (verdict) =>
    verdict.issues === undefined
      ? pass(verdict.value, source, pipelines, 0)
      : { kind: 'rejected', item: asData(given), reason: describeIssues(verdict.issues) },
  )
}

function pass(
  item: unknown,
  source: ItemSource,
  pipelines: readonly Pipeline<unknown>[],
  index: number,
): ProcessedItem | Promise<ProcessedItem> {
  const pipeline = pipelines[index]
  if (pipeline === undefined) return finished(item)
  return after(pipeline.process(item, source), (next) =>
    next instanceof Drop
      ? { kind: 'dropped', reason: next.reason }
      : pass(next, source, pipelines, index + 1),
  )
}

function after<Value, Result>(
  value: Value | Promise<Value>,
  next: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return isPromise(value) ? Promise.resolve(value).then(next) : next(value)
}

function finished(item: unknown): ProcessedItem {
  return typeof item === 'object' && item !== null && !Array.isArray(item)
    ? { kind: 'kept', item: asData(item) }
    : { kind: 'rejected', item: asData(item), reason: 'an item must be an object' }
}

/** As JSON has it: dates become text, what JSON cannot hold is left out. */
function asData(value: unknown): JsonObject {
  const data: unknown = JSON.parse(
    JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part)) ?? 'null',
  )
  return typeof data === 'object' && data !== null && !Array.isArray(data)
    ? (data as JsonObject)
    : { value: data as JsonObject[string] }
}
