import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { SearchProcesses } from './search-processes.ts'
import { SearchBusy, SearchFailed, SearchTooSlow } from './serve-ports.ts'

/** Responds at once, hangs in an SQLite query, or crashes. */
const WORKER = `
import { appendFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
const [directory] = process.argv.slice(2)
process.on('disconnect', () => process.exit())
process.on('message', ({ request: { query } }) => {
  if (query === 'crash') process.exit(1)
  if (query === 'broken') return process.send({ failure: 'the index is damaged' })
  if (query === 'forever') {
    appendFileSync(directory + '/pids', process.pid + '\\n')
    new DatabaseSync(':memory:').prepare('WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c').get()
  }
  process.send({ result: { kind: 'no-index', directory } })
})
`

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-search-'))
  writeFileSync(join(folder, 'worker.mjs'), WORKER)
})
afterAll(() => rmSync(folder, { recursive: true }))

async function withProcesses(
  work: (search: SearchProcesses, clock: FakeClock) => Promise<void>,
): Promise<void> {
  const clock = new FakeClock()
  const filename = join(folder, 'worker.mjs')
  const search = new SearchProcesses(clock, { filename, directory: folder, timeoutMs: 1000 })
  writeFileSync(join(folder, 'pids'), '')
  try {
    await work(search, clock)
  } finally {
    await search.close()
  }
}

const request = (query: string) => ({ query, offset: 0, limit: 10 })

/** Processes that run, or ran, an endless query. */
const pids = () => readFileSync(join(folder, 'pids'), 'utf8').split('\n').filter(Boolean).map(Number)

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve))
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

it('serves other queries during a slow one, and kills the slow one at its time limit', async () => {
  await withProcesses(async (search, clock) => {
    const slow = search.search(request('forever'))
    expect(await search.search(request('quick'))).toEqual({ kind: 'no-index', directory: folder })
    await until(() => pids().length === 1)
    expect(pids().every(isRunning)).toBe(true)
    clock.advance(1000)
    await expect(slow).rejects.toBeInstanceOf(SearchTooSlow)
    expect(pids().some(isRunning)).toBe(false)
    expect(await search.search(request('quick'))).toMatchObject({ kind: 'no-index' })
  })
})

it('never runs more queries than it has processes, also when all of them are slow', async () => {
  await withProcesses(async (search, clock) => {
    const first = [search.search(request('forever')), search.search(request('forever'))]
    const others = Array.from({ length: 5 }, () => search.search(request('forever')))
    const ends = Promise.allSettled([...first, ...others])
    await until(() => pids().length === 2)
    clock.advance(1000)
    const reasons = (await ends).map((end) => (end.status === 'rejected' ? end.reason : undefined))
    expect(reasons.every((reason) => reason instanceof SearchTooSlow)).toBe(true)
    expect(pids()).toHaveLength(2)
    expect(pids().some(isRunning)).toBe(false)
  })
})

it('passes on the reason why the index cannot be searched', async () => {
  await withProcesses(async (search) => {
    await expect(search.search(request('broken'))).rejects.toThrow('the index is damaged')
  })
})

it('replaces a process that crashed', async () => {
  await withProcesses(async (search) => {
    await expect(search.search(request('crash'))).rejects.toBeInstanceOf(SearchFailed)
    expect(await search.search(request('quick'))).toMatchObject({ kind: 'no-index' })
  })
})

it('rejects a query if too many are waiting', async () => {
  await withProcesses(async (search, clock) => {
    const waiting = Array.from({ length: 34 }, () => search.search(request('forever')))
    const ends = Promise.allSettled(waiting)
    await expect(async () => search.search(request('quick'))).rejects.toBeInstanceOf(SearchBusy)
    clock.advance(1000)
    await ends
  })
})

it('kills running queries on close', async () => {
  await withProcesses(async (search) => {
    const ends = Promise.allSettled([search.search(request('forever'))])
    await until(() => pids().length === 1)
    await search.close()
    expect(await ends).toMatchObject([{ status: 'rejected' }])
    expect(pids().some(isRunning)).toBe(false)
  })
})
