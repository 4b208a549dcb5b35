/**
 * The same text in memory of its own. A part of a larger string shares its memory, so that one link that is kept keeps the whole page: copy what
 * outlives it.
 */
export function ownCopy(text: string): string {
  return ` ${text}`.slice(1)
}

/**
 * As `ownCopy`, and the same object for equal texts: maps find a key that is the same object several times as fast as one that has to be compared.
 */
export function sharedCopy(text: string): string {
  const before = copies.get(text)
  if (before !== undefined) return before
  const copy = ownCopy(text)
  // Filling it again is cheap.
  if (copies.size >= MAX_COPIES) copies.clear()
  copies.set(copy, copy)
  return copy
}

const copies = new Map<string, string>()
/** As many as the maps that use them hold. */
const MAX_COPIES = 10_000
