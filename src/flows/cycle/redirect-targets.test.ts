import { beforeEach, expect, it } from 'vitest'
import { LeapClock } from '../../../testing/leap-clock.ts'
import type { CrawlRecord } from '../../domain/crawldb/crawl-record.ts'
import { RedirectTargets } from './redirect-targets.ts'

let clock: LeapClock
/** The URLs of each question that was asked. */
let asked: string[][]
/** What a question takes. */
let tookMs: number
let records: Map<string, Partial<CrawlRecord>>
let targets: RedirectTargets

beforeEach(() => {
  clock = new LeapClock()
  asked = []
  tookMs = 0
  records = new Map()
  targets = new RedirectTargets(clock, {
    findAll: async (urls) => {
      asked.push([...urls])
      await new Promise<void>((resolve) => clock.after(tookMs, resolve))
      return records as Map<string, CrawlRecord>
    },
  })
})

it('follows to what is unknown or due, not to what was fetched or is on a list', async () => {
  const now = clock.now()
  records.set('due', { fetchTime: now - 1 })
  records.set('fetched', { fetchTime: now + 60_000 })
  records.set('listed', { fetchTime: now - 1, generatedIn: '20260101000000' })
  const urls = ['unknown', 'due', 'fetched', 'listed']
  const responses = clock.run(Promise.all(urls.map((url) => targets.mayFollow(url))))
  expect(await responses).toEqual([true, true, false, false])
})

it('asks at once, and what comes meanwhile together', async () => {
  const responses = [targets.mayFollow('a'), targets.mayFollow('b'), targets.mayFollow('c')]
  expect(asked).toEqual([['a']])
  await clock.run(Promise.all(responses))
  expect(asked).toEqual([['a'], ['b', 'c']])
})

it('rests twice as long as the question took', async () => {
  tookMs = 100
  const first = targets.mayFollow('a')
  const second = targets.mayFollow('b')
  const startedAt = clock.now()
  await clock.run(first)
  await clock.run(second)
  expect(clock.now() - startedAt).toBe(100 + 200 + 100)
})

it('rests for two seconds at most, and asks the next at once when nobody waited', async () => {
  tookMs = 60_000
  await clock.run(targets.mayFollow('a'))
  const startedAt = clock.now()
  const next = targets.mayFollow('b')
  await clock.run(next)
  expect(clock.now() - startedAt).toBe(2_000 + 60_000)
  clock.advance(2_000)
  void targets.mayFollow('c')
  expect(asked).toEqual([['a'], ['b'], ['c']])
})

it('tells everybody of a question that failed, and asks the next', async () => {
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
