import type { Json, JsonObject } from '../../base/json.ts'

/**
 * What a data-only pickle holds: lists and tuples are arrays, dicts maps, sets and frozensets sets; integers beyond 2^53 are
 * bigints. Text and bytes stay apart. It may share parts, but `readPickle` gives no value that contains itself.
 */
export type PickleValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | PickleValue[]
  | PickleDict
  | Set<PickleValue>

export type PickleDict = Map<PickleValue, PickleValue>

/** What a value may come to, written out: parts it refers to twice count twice. */
export interface PickleLimits {
  /** Containers inside each other. @default 64 */
  readonly maxDepth?: number
  /** Values in all; the pickle has at most eight times as many instructions. @default 100_000 */
  readonly maxElements?: number
  /** Of the pickle itself; and of all text and bytes together. @default 4 MiB */
  readonly maxBytes?: number
}

/**
 * Which limit `value` breaks, or `undefined`. A few bytes of pickle can refer to their own parts until they stand for more than
 * any memory holds, or for something endless; only what is within the limits can be walked without fear.
 */
export function brokenLimit(value: PickleValue, limits: Required<PickleLimits>): string | undefined {
  let elements = 0
  let bytes = 0
  return walk(value, 0)

  function walk(part: PickleValue, depth: number): string | undefined {
    if (depth > limits.maxDepth) return `more than ${limits.maxDepth} levels deep`
    if (++elements > limits.maxElements) return `more than ${limits.maxElements} values`
    if (typeof part === 'string' || part instanceof Uint8Array) bytes += part.length
    if (bytes > limits.maxBytes) return `more than ${limits.maxBytes} bytes of text`
    for (const child of childrenOf(part)) {
      const broken = walk(child, depth + 1)
      if (broken !== undefined) return broken
    }
    return undefined
  }
}

function* childrenOf(value: PickleValue): Iterable<PickleValue> {
  if (Array.isArray(value) || value instanceof Set) yield* value
  else if (value instanceof Map) for (const entry of value) yield* entry
}

/** The same in JSON, sets as arrays; `undefined` when any part of it has no JSON: bytes, NaN, keys that are not text. */
export function jsonOfPickle(value: PickleValue): Json | undefined {
  if (Array.isArray(value)) return jsonArray(value)
  if (value instanceof Set) return jsonArray([...value])
  if (value instanceof Map) return jsonObject(value)
  if (value instanceof Uint8Array || typeof value === 'bigint') return undefined
  return typeof value === 'number' && !Number.isFinite(value) ? undefined : value
}

/** @param json it must not contain itself */
export function pickleOfJson(json: Json): PickleValue {
  if (json === null || typeof json !== 'object') return json
  return isArray(json) ? json.map(pickleOfJson) : pickleOfObject(json)
}

/** Members that are `undefined` are left out, as JSON does. */
export function pickleOfObject(object: JsonObject): PickleDict {
  const dict: PickleDict = new Map()
  for (const [key, value] of Object.entries(object))
    if (value !== undefined) dict.set(key, pickleOfJson(value))
  return dict
}

function jsonArray(values: readonly PickleValue[]): Json | undefined {
  const array = values.map(jsonOfPickle)
  return array.every((item) => item !== undefined) ? array : undefined
}

function jsonObject(dict: PickleDict): JsonObject | undefined {
  const entries: [string, Json][] = []
  for (const [key, value] of dict) {
    const json = jsonOfPickle(value)
    if (typeof key !== 'string' || json === undefined) return undefined
    entries.push([key, json])
  }
  return Object.fromEntries(entries)
}

/** `Array.isArray` does not tell read-only arrays from objects. */
function isArray(json: readonly Json[] | JsonObject): json is readonly Json[] {
  return Array.isArray(json)
}
