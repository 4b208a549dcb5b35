/** The most similar of `names`, for "did you mean"; `undefined` if none is similar. */
export function nearestName(name: string, names: Iterable<string>): string | undefined {
  let nearest: string | undefined
  // Up to two edits, or a third of a longer name; one edit of a name as short as `kind`, which is two edits from `link`.
  let least = Math.max(name.length < 5 ? 1 : 2, Math.floor(name.length / 3)) + 1
  for (const candidate of names) {
    const distance = distanceOf(name.toLowerCase(), candidate.toLowerCase())
    if (distance < least) {
      nearest = candidate
      least = distance
    }
  }
  return nearest
}

/** Edit distance; a name that is a prefix of the other counts as at most two edits. */
function distanceOf(a: string, b: string): number {
  const [short, long] = a.length < b.length ? [a, b] : [b, a]
  return short.length >= 4 && long.startsWith(short)
    ? Math.min(2, long.length - short.length)
    : editDistance(a, b)
}

/** Number of letters to insert, delete, replace or swap with their neighbour. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a.charCodeAt(i - 1) === b.charCodeAt(j - 1)
      const swapped =
        a.charCodeAt(i - 1) === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === b.charCodeAt(j - 1)
      row[j] = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (beforeLast[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    beforeLast = last
    last = row
  }
  return last[b.length] ?? 0
}
