/**
 * The same text in memory of its own. A part of a larger string shares its memory, so that one link that is kept keeps the whole page: copy what
 * outlives it.
 */
export function ownCopy(text: string): string {
  return ` ${text}`.slice(1)
}
