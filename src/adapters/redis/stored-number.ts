import { LAST_TIME } from './last-time.ts'

/** A count or a time that was stored: 0 to `LAST_TIME`, whatever Redis holds. What is not a number is 0. */
export function numberIn(value: unknown): number {
  const number = typeof value === 'number' || typeof value === 'string' ? Number(value) : 0
  // Not of NaN: every comparison with it is false.
  return number > 0 ? Math.min(number, LAST_TIME) : 0
}
