import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { FakeClock } from '../../testing/fake-clock.ts'
import { SearchThreads } from './search-threads.ts'
import { SearchBusy, SearchTooSlow } from './search-view.ts'

/** Answers at once, or never. */
const WORKER = `
import { workerData } from 'node:worker_threads'
export function search({ query }) {
  while (query === 'forever') {}
  if (query === 'broken') throw new Error('the index is damaged')
  return { kind: 'no-index', directory: workerData.directory }
}
`

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-threads-'))
  writeFileSync(join(folder, 'worker.mjs'), WORKER)
})
afterAll(() => rmSync(folder, { recursive: true }))

async function withThreads(work: (threads: SearchThreads, clock: FakeClock) => Promise<void>): Promise<void> {
  const clock = new FakeClock()
  const filename = join(folder, 'worker.mjs')
  const threads = new SearchThreads(clock, { filename, directory: 'crawl', timeoutMs: 1000 })
  try {
    await work(threads, clock)
  } finally {
    await threads.close()
  }
}

const request = (query: string) => ({ query, offset: 0, limit: 10 })

it('answers others while one question takes long, and ends that in time', async () => {
  await withThreads(async (threads, clock) => {
    const slow = threads.search(request('forever'))
    expect(await threads.search(request('quick'))).toEqual({ kind: 'no-index', directory: 'crawl' })
    clock.advance(1000)
    await expect(slow).rejects.toBeInstanceOf(SearchTooSlow)
    expect(await threads.search(request('quick'))).toMatchObject({ kind: 'no-index' })
  })
})

it('hands on what the thread says is wrong', async () => {
  await withThreads(async (threads) => {
    await expect(threads.search(request('broken'))).rejects.toThrow('the index is damaged')
  })
})

it('refuses when too many wait', async () => {
  await withThreads(async (threads, clock) => {
    const waiting = Array.from({ length: 40 }, () => threads.search(request('forever')))
    const ends = await Promise.allSettled([
      ...waiting.slice(-2),
      ...waiting.slice(0, -2).map(async (one) => {
        clock.advance(1000)
        return one
      }),
    ])
    const reasons = ends.map((end) => (end.status === 'rejected' ? end.reason : undefined))
    expect(reasons.slice(0, 2).every((reason) => reason instanceof SearchBusy)).toBe(true)
    expect(reasons.filter((reason) => reason instanceof SearchTooSlow).length).toBeGreaterThan(30)
  })
})
