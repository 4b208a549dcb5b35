import type { FeedSource } from './feed.ts'

/** The position of the newest item, found with some dozen small questions however many items there are. */
export async function logEnd(source: FeedSource): Promise<number> {
  const hasMoreAfter = async (position: number) => (await source(position, 1)).length > 0
  if (!(await hasMoreAfter(0))) return 0
  // Positions are whole numbers: there are items after `low`, and none after `high` once it is found.
  let low = 0
  let high = 1
  while (await hasMoreAfter(high)) {
    low = high
    high *= 2
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (await hasMoreAfter(middle)) low = middle
    else high = middle
  }
  return high
}
