/** Longer cycles are left to the limit on segments. */
const MAX_PERIOD = 4

/** What repeats does so three times. */
export const FEWEST_REPEATING = 3

/**
 * The block of segments that a path goes round in, as relative links without a leading slash make them; `undefined`
 * when there is none. Two shapes count: a block three times in a row (`/a/b/a/b/a/b`), and Nutch's, one segment three
 * times with one other between (`/a/x/a/y/a`). The empty segment behind a trailing slash is no segment.
 */
export function repeatingSegments(segments: readonly string[]): string | undefined {
  const count = segments.at(-1) === '' ? segments.length - 1 : segments.length
  for (let period = 1; period <= MAX_PERIOD && period * 3 <= count; period++) {
    // Three blocks in a row are two blocks' worth of segments that equal the one a period before.
    let equal = 0
    for (let i = period; i < count; i++) {
      equal = segments[i] === segments[i - period] ? equal + 1 : 0
      if (equal === period * 2) return segments.slice(i - period + 1, i + 1).join('/')
    }
  }
  for (let i = 4; i < count; i++) {
    const segment = segments[i]
    if (segment === segments[i - 2] && segment === segments[i - 4]) return segment
  }
  return undefined
}
