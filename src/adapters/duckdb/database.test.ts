import { tmpdir } from 'node:os'
import { expect, it } from 'vitest'
import { Database } from './database.ts'

it('ends rows that are interrupted with the reason, not as if they were all', async () => {
  const database = await Database.open(':memory:', {}, tmpdir())
  const stop = new AbortController()
  const reason = new Error('stop')
  const rows = database
    .interruptedBy(stop.signal)
    .stream((session) => session.streamNumbers('SELECT i::DOUBLE AS i FROM range(2000000) t(i)'))
  let count = 0
  const read = async () => {
    for await (const [numbers = []] of rows) {
      count += numbers.length
      stop.abort(reason)
    }
  }
  await expect(read()).rejects.toBe(reason)
  expect(count).toBeLessThan(2_000_000)
  await database.close()
})
