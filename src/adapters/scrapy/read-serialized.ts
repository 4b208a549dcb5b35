import { brokenLimit, type PickleLimits, pickleOfJson } from './pickle-value.ts'
import { parsePythonJson } from './python-json.ts'
import { utf8Text } from './python-text.ts'
import { type PickleReading, readPickle } from './read-pickle.ts'

/**
 * Reads an entry of `<spider>:requests` as data, whichever serializer wrote it (`SCHEDULER_SERIALIZER`): a pickle, which is the default, or a JSON object.
 * JSON has no bytes: what is bytes in a pickle (headers, body) is text there.
 */
export function readSerialized(bytes: Uint8Array, limits: PickleLimits = {}): PickleReading {
  // No pickle begins with a brace or with white space.
  const first = bytes.find((byte) => !JSON_SPACE.includes(byte))
  return first === BRACE ? readJson(bytes, limits) : readPickle(bytes, limits)
}

const BRACE = 0x7b
const JSON_SPACE = [0x20, 0x09, 0x0a, 0x0d]

function readJson(bytes: Uint8Array, limits: PickleLimits): PickleReading {
  const { maxDepth = 64, maxElements = 100_000, maxBytes = 4 * 1024 * 1024 } = limits
  const failure = (reason: string): PickleReading => ({ ok: false, reason: `JSON: ${reason}`, offset: 0 })
  if (bytes.length > maxBytes) return failure(`more than ${maxBytes} bytes`)
  const text = utf8Text(bytes)
  if (text === undefined) return failure('not UTF-8')
  const json = parsePythonJson(text)
  if (!json.ok) return failure(json.reason)
  const value = pickleOfJson(json.value)
  const broken = brokenLimit(value, { maxDepth, maxElements, maxBytes })
  return broken === undefined ? { ok: true, value } : failure(broken)
}
