/** Calls `work` for each item, for at most `limit` of them at a time. After a failure no more are begun; it rejects with the first error. */
export async function runLimited<T>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = items.values()
  let hasFailed = false
  const lanes = Array.from({ length: Math.min(limit, items.length) }, async () => {
    for (const item of waiting) {
      if (hasFailed) return
      try {
        await work(item)
      } catch (error) {
        hasFailed = true
        throw error
      }
    }
  })
  const ended = await Promise.allSettled(lanes)
  const failure = ended.find((lane) => lane.status === 'rejected')
  if (failure !== undefined) throw failure.reason
}
