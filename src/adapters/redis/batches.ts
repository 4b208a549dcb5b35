/** Lists of arguments for one call each: at most `max` of them, and no more text than that unless a single one is longer. */
export function batches(
  lists: ReadonlyArray<readonly string[]>,
  max: number,
): Array<ReadonlyArray<readonly string[]>> {
  const all: Array<ReadonlyArray<readonly string[]>> = []
  let batch: Array<readonly string[]> = []
  let arguments_ = 0
  let length = 0
  for (const list of lists) {
    const listLength = list.reduce((sum, text) => sum + text.length, 0)
    const isFull =
      batch.length >= max || arguments_ + list.length > MAX_ARGUMENTS || length + listLength > MAX_LENGTH
    if (isFull && batch.length > 0) {
      all.push(batch)
      batch = []
      arguments_ = 0
      length = 0
    }
    batch.push(list)
    arguments_ += list.length
    length += listLength
  }
  if (batch.length > 0) all.push(batch)
  return all
}

/** Of a call. */
const MAX_ARGUMENTS = 5_000
const MAX_LENGTH = 1_000_000
