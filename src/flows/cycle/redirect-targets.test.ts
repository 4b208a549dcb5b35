import { beforeEach, expect, it } from 'vitest'
import { LeapClock } from '../../../testing/leap-clock.ts'
import type { CrawlRecord } from '../../domain/crawldb/crawl-record.ts'
import { RedirectTargets } from './redirect-targets.ts'

let clock: LeapClock
/** The URLs of each query. */
let queries: string[][]
/** What a question takes. */
let tookMs: number
let records: Map<string, Partial<CrawlRecord>>
let targets: RedirectTargets

beforeEach(() => {
  clock = new LeapClock()
  queries = []
  tookMs = 0
  records = new Map()
  targets = new RedirectTargets(clock, {
    findAll: async (urls) => {
      queries.push([...urls])
      await new Promise<void>((resolve) => clock.after(tookMs, resolve))
      return records as Map<string, CrawlRecord>
    },
  })
})

it('allows unknown and due URLs, not fetched ones or those on a fetch list', async () => {
  const now = clock.now()
  records.set('due', { fetchTime: now - 1 })
  records.set('fetched', { fetchTime: now + 60_000 })
  records.set('listed', { fetchTime: now - 1, generatedIn: '20260101000000' })
  const urls = ['unknown', 'due', 'fetched', 'listed']
  const responses = clock.run(Promise.all(urls.map((url) => targets.mayFollow(url))))
  expect(await responses).toEqual([true, true, false, false])
})

it('queries at once, and batches the URLs that arrive during a query', async () => {
  const responses = [targets.mayFollow('a'), targets.mayFollow('b'), targets.mayFollow('c')]
  expect(queries).toEqual([['a']])
  await clock.run(Promise.all(responses))
  expect(queries).toEqual([['a'], ['b', 'c']])
})

it('pauses twice as long as the query took', async () => {
  tookMs = 100
  const first = targets.mayFollow('a')
  const second = targets.mayFollow('b')
  const startedAt = clock.now()
  await clock.run(first)
  await clock.run(second)
  expect(clock.now() - startedAt).toBe(100 + 200 + 100)
})

it('pauses for two seconds at most, and queries at once afterwards', async () => {
  tookMs = 60_000
  await clock.run(targets.mayFollow('a'))
  const startedAt = clock.now()
  const next = targets.mayFollow('b')
  await clock.run(next)
  expect(clock.now() - startedAt).toBe(2_000 + 60_000)
  clock.advance(2_000)
  void targets.mayFollow('c')
  expect(queries).toEqual([['a'], ['b'], ['c']])
})

it('rejects all URLs of a failed query, and runs the next query', async () => {
  const broken = new RedirectTargets(clock, {
    findAll: async (urls) => {
      if (urls.includes('b')) throw new Error('no disk')
      return new Map()
    },
  })
  const responses = Promise.allSettled(['a', 'b', 'c'].map((url) => broken.mayFollow(url)))
  expect((await clock.run(responses)).map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'rejected',
  ])
  expect(await clock.run(broken.mayFollow('d'))).toBe(true)
})
