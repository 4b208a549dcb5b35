import type { Json, JsonObject } from '../../base/json.ts'
import type { PickleDict, PickleValue } from './pickle-value.ts'

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
