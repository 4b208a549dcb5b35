/**
 * Spreads hosts over `parts` so that each is in one of them and the parts are about equally long: the largest host first, each to
 * the part that is shortest so far. Returns the part (from 0) of each key. The outcome depends on `sizes` alone, not on its order.
 */
export function divideHosts(sizes: ReadonlyMap<string, number>, parts: number): Map<string, number> {
  const lengths = new Array<number>(parts).fill(0)
  const partOf = new Map<string, number>()
  const largestFirst = [...sizes].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
  for (const [host, size] of largestFirst) {
    const shortest = indexOfSmallest(lengths)
    lengths[shortest] = (lengths[shortest] ?? 0) + size
    partOf.set(host, shortest)
  }
  return partOf
}

function indexOfSmallest(numbers: readonly number[]): number {
  return numbers.reduce((best, number, i) => (number < (numbers[best] ?? 0) ? i : best), 0)
}
