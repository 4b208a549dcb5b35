import { INSTRUCTIONS, REFUSED } from './pickle-instructions.ts'
import { PickleInput, PickleStack, UnreadablePickle } from './pickle-machine.ts'
import { brokenLimit, type PickleLimits, type PickleValue } from './pickle-value.ts'

export type PickleReading = { readonly ok: true; readonly value: PickleValue } | PickleFailure

export interface PickleFailure {
  readonly ok: false
  /** For display. */
  readonly reason: string
  /** Where the instruction begins that could not be followed. */
  readonly offset: number
  /** The name of an instruction that would have run code or fetched something from outside the pickle. */
  readonly refused?: string
}

const STOP = 0x2e
/** Python needs at most four: one for the value, one for the memo, two for its place in a container. */
const INSTRUCTIONS_PER_ELEMENT = 8

/**
 * Reads the data in a pickle of protocol 0 to 5, and nothing but data. Python's own reader runs what a pickle names, so that
 * any program that can write to Redis runs code in its workers; here that is rejected. It never throws, and its work is bounded by the
 * length of `pickle` and by the limits.
 */
export function readPickle(pickle: Uint8Array, limits: PickleLimits = {}): PickleReading {
  const { maxDepth = 64, maxElements = 100_000, maxBytes = 4 * 1024 * 1024 } = limits
  if (pickle.length > maxBytes) return { ok: false, reason: `more than ${maxBytes} bytes`, offset: 0 }
  const input = new PickleInput(pickle)
  const stack = new PickleStack()
  let offset = 0
  try {
    let left = INSTRUCTIONS_PER_ELEMENT * maxElements
    for (let opcode = input.uint(1); opcode !== STOP; opcode = input.uint(1)) {
      if (left-- === 0) return { ok: false, reason: `more than ${maxElements} values`, offset }
      const follow = INSTRUCTIONS.get(opcode)
      if (follow === undefined) return unknown(opcode, offset)
      follow(stack, input)
      offset = input.offset
    }
    const value = stack.pop()
    const broken = brokenLimit(value, { maxDepth, maxElements, maxBytes })
    return broken === undefined ? { ok: true, value } : { ok: false, reason: broken, offset }
  } catch (error) {
    if (error instanceof UnreadablePickle)
      return { ok: false, reason: `${error.message} at byte ${offset}`, offset }
    throw error
  }
}

function unknown(opcode: number, offset: number): PickleFailure {
  const refused = REFUSED.get(opcode)
  const hex = `0x${opcode.toString(16).padStart(2, '0')}`
  if (refused === undefined)
    return { ok: false, reason: `${hex} at byte ${offset} is not an instruction`, offset }
  return { ok: false, reason: `${refused} (${hex}) at byte ${offset} is not data`, offset, refused }
}
