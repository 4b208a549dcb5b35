import type { JsonObject } from '../base/json.ts'
import { Drop } from './drop.ts'
import type { ItemSource, Pipeline } from './pipeline.ts'
import { describeIssues, type StandardSchema } from './standard-schema.ts'

/** What became of an item. */
export type ProcessedItem =
  | { readonly kind: 'kept'; readonly item: JsonObject }
  /** Its schema refuses it. */
  | { readonly kind: 'rejected'; readonly item: JsonObject; readonly reason: string }
  /** A pipeline did not want it. */
  | { readonly kind: 'dropped'; readonly reason: string }

/** The way of an item: its schema, then the pipelines in their order. What a pipeline throws passes through. */
export async function processItem(
  given: unknown,
  source: ItemSource,
  schema: StandardSchema<unknown, unknown> | undefined,
  pipelines: readonly Pipeline<unknown>[],
): Promise<ProcessedItem> {
  let item = given
  if (schema !== undefined) {
    const verdict = await schema['~standard'].validate(given)
    if (verdict.issues !== undefined)
      return { kind: 'rejected', item: asData(given), reason: describeIssues(verdict.issues) }
    item = verdict.value
  }
  for (const pipeline of pipelines) {
    const next = await pipeline.process(item, source)
    if (next instanceof Drop) return { kind: 'dropped', reason: next.reason }
    item = next
  }
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
