/**
 * The values of `source`, each requested while the one before is in use: a source that works elsewhere, such as in a database, and its
 * reader do not wait for each other. Memory holds one more value.
 */
export async function* readAhead<Value>(source: AsyncIterable<Value>): AsyncGenerator<Value> {
  const iterator = source[Symbol.asyncIterator]()
  let next = iterator.next()
  try {
    for (;;) {
      const { done, value } = await next
      if (done === true) return
      next = iterator.next()
      // If it fails, the reader gets the error when it comes to this value.
      next.catch(() => {})
      yield value
    }
  } finally {
    await next.catch(() => {})
    await iterator.return?.()
  }
}
