import { expect, it } from 'vitest'
import { ScanLimit } from './scan-limit.ts'
import { SearchBusy } from './serve-ports.ts'

const { signal } = new AbortController()

/** A scan that ends when the test resolves it. */
function openWork() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { promise, resolve }
}

it('runs a limited number at once, queues others in order, and rejects the rest', async () => {
  const limit = new ScanLimit({ atOnce: 2, waiting: 2 })
  const started: number[] = []
  const works = [openWork(), openWork(), openWork(), openWork()]
  const runs = works.map((work, i) =>
    limit.run(signal, () => {
      started.push(i)
      return work.promise
    }),
  )
  await expect(limit.run(signal, async () => {})).rejects.toBeInstanceOf(SearchBusy)
  expect(started).toEqual([0, 1])
  works[1]?.resolve()
  await runs[1]
  await Promise.resolve()
  expect(started).toEqual([0, 1, 2])
  for (const work of works) work.resolve()
  await Promise.all(runs)
  expect(started).toEqual([0, 1, 2, 3])
})

it('frees its slot after a failure, and does not start scans that were cancelled', async () => {
  const limit = new ScanLimit({ atOnce: 1 })
  const left = new AbortController()
  const failing = limit.run(signal, () => Promise.reject(new Error('broken')))
  let begun = false
  const abandoned = limit.run(left.signal, async () => {
    begun = true
  })
  left.abort()
  await expect(failing).rejects.toThrow('broken')
  await expect(abandoned).rejects.toThrow()
  expect(begun).toBe(false)
  expect(await limit.run(signal, async () => 7)).toBe(7)
})
