/** A count or a time that was stored: 0 to `LAST_TIME`, whatever Redis holds. What is not a number is 0. */
export function numberIn(value: unknown): number {
  const number = typeof value === 'number' || typeof value === 'string' ? Number(value) : 0
  // Not of NaN: every comparison with it is false.
  return number > 0 ? Math.min(number, LAST_TIME) : 0
}

/** The last time a `Date` can hold (ms since the epoch). It stands for "never", and Lua scripts keep it exactly. */
export const LAST_TIME = 8.64e15
