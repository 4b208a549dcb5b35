import { describe, expect, it } from 'vitest'
import { createAdaptiveSchedule } from '../schedule/adaptive-schedule.ts'
import { createDefaultSchedule } from '../schedule/default-schedule.ts'
import type { FetchSchedule } from '../schedule/fetch-schedule.ts'
import { createFreshnessSchedule } from '../schedule/freshness-schedule.ts'
import { createOpicScoring } from '../scoring/opic-scoring.ts'
import { type CrawlRecord, unfetchedRecord } from './crawl-record.ts'
import { type FetchEvent, updateRecord } from './update-record.ts'

// A page over ten years, fetched on the first day it is due.
const START = Date.UTC(2026, 0, 1)
const DAY_MS = 86_400_000
const scoring = createOpicScoring()
const url = 'http://a.test/'

interface RecordedFetch {
  readonly at: number
  readonly fetch: FetchEvent
  readonly before: CrawlRecord
  readonly after: CrawlRecord
}

/** As generate selects due URLs. */
function isDue({ fetchTime }: CrawlRecord, now: number, maxIntervalSeconds: number): boolean {
  return fetchTime <= now || fetchTime > now + maxIntervalSeconds * 1000
}

function live(
  schedule: FetchSchedule,
  server: (record: CrawlRecord, at: number, count: number) => FetchEvent,
): RecordedFetch[] {
  let record = unfetchedRecord({ url, ...schedule.initialise(START), score: 1, metadata: {} })
  const fetches: RecordedFetch[] = []
  for (let at = START; at < START + 3650 * DAY_MS; at += DAY_MS) {
    if (!isDue(record, at, schedule.maxIntervalSeconds)) continue
    const fetch = server(record, at, fetches.length)
    const after = updateRecord(record, { url, fetch }, { schedule, scoring }, at)
    if (after === undefined) throw new Error('a record was lost')
    fetches.push({ at, fetch, before: record, after })
    record = after
  }
  return fetches
}

const SCHEDULES = [
  ['default', createDefaultSchedule()],
  ['default, 200 days by default', createDefaultSchedule({ defaultIntervalSeconds: 200 * 86_400 })],
  ['adaptive', createAdaptiveSchedule()],
  ['freshness', createFreshnessSchedule()],
  ['adaptive, up to a year', createAdaptiveSchedule({ maxIntervalSeconds: 365 * 86_400 })],
] as const

describe.each(SCHEDULES)('ten years of one page, %s schedule', (_name, schedule) => {
  const maxMs = schedule.maxIntervalSeconds * 1000

  it('stays gone, and is fetched again at intervals', () => {
    const fetches = live(schedule, (_record, at) => ({ kind: 'gone', fetchedAt: at }))
    expect(new Set(fetches.map(({ after }) => after.status))).toEqual(new Set(['db_gone']))
    expect(fetches.length).toBeGreaterThanOrEqual(Math.floor((3650 * DAY_MS) / maxMs))
  })

  it('is tried twice more after a failure, and then gone', () => {
    const fetches = live(schedule, (_record, at) => ({ kind: 'retry', fetchedAt: at }))
    const [first, second, ...rest] = fetches.map(({ after }) => after.status)
    expect([first, second]).toEqual(['db_unfetched', 'db_unfetched'])
    expect(new Set(rest)).toEqual(new Set(['db_gone']))
    expect(fetches.map(({ after }) => after.retries)).toEqual(fetches.map((_fetch, i) => i + 1))
  })

  it.each(['signature', '304'])('is fetched whole often enough while nothing changes, told by %s', (how) => {
    // The content changes once, after three years.
    const content = (at: number) => (at < START + 1000 * DAY_MS ? 'aa' : 'bb')
    const fetches = live(schedule, (record, at) => {
      const signature = content(at)
      if (how === '304' && record.validators?.etag === signature)
        return { kind: 'not-modified', fetchedAt: at }
      return { kind: 'success', fetchedAt: at, signature, validators: { etag: signature } }
    })
    const changes = fetches.filter(({ before, after }) => before.signature !== after.signature)
    expect(changes.map(({ after }) => after.signature)).toEqual(['aa', 'bb'])
    let changedAt = 0
    let wholeAt = START
    for (const { at, fetch, before, after } of fetches) {
      const changed = before.signature !== after.signature
      expect(after.status).toBe(changed ? 'db_fetched' : 'db_notmodified')
      if (changed) changedAt = at
      expect(after.modifiedTime).toBe(changedAt)
      if (fetch.kind === 'success') {
        expect(at - wholeAt).toBeLessThanOrEqual(maxMs + DAY_MS)
        wholeAt = at
      }
    }
    expect(START + 3650 * DAY_MS - wholeAt).toBeLessThanOrEqual(maxMs + DAY_MS)
    if (how === '304')
      expect(fetches.some(({ fetch }) => fetch.kind === 'not-modified')).toBe(fetches.length > 12)
  })

  it('is never unmodified by a redirect or by being gone', () => {
    const fetches = live(schedule, (_record, at, count) => {
      const events: FetchEvent[] = [
        { kind: 'success', fetchedAt: at, signature: 'aa' },
        { kind: 'gone', fetchedAt: at },
        { kind: 'success', fetchedAt: at, signature: 'aa' },
        { kind: 'redirect', permanent: false, fetchedAt: at },
        { kind: 'success', fetchedAt: at, signature: 'aa' },
        { kind: 'redirect', permanent: true, fetchedAt: at },
      ]
      return events[count % events.length] ?? { kind: 'gone', fetchedAt: at }
    })
    expect(fetches.slice(0, 6).map(({ after }) => after.status)).toEqual([
      'db_fetched',
      'db_gone',
      'db_notmodified',
      'db_redir_temp',
      'db_fetched',
      'db_redir_perm',
    ])
    for (const { fetch, after } of fetches) {
      if (fetch.kind !== 'success') expect(after.status).not.toBe('db_notmodified')
    }
  })
})

it('makes two of three requests conditional with an interval of 30 days and a longest one of 90', () => {
  const fetches = live(createDefaultSchedule(), (record, at) =>
    record.validators === undefined
      ? { kind: 'success', fetchedAt: at, signature: 'aa', validators: { etag: '"1"' } }
      : { kind: 'not-modified', fetchedAt: at },
  )
  expect(fetches.slice(0, 7).map(({ at, fetch }) => `${(at - START) / DAY_MS} ${fetch.kind}`)).toEqual([
    '0 success',
    '30 not-modified',
    '60 not-modified',
    '90 success',
    '120 not-modified',
    '150 not-modified',
    '180 success',
  ])
})
