import { describe, expect, it } from 'vitest'
import { createDefaultSchedule } from '../schedule/default-schedule.ts'
import { createDepthScoring } from '../scoring/depth-scoring.ts'
import { createOpicScoring } from '../scoring/opic-scoring.ts'
import { type CrawlRecord, unfetchedRecord } from './crawl-record.ts'
import { CRAWL_STATUSES, isDbStatus } from './crawl-status.ts'
import { type InjectRules, injectRecord } from './inject-record.ts'

const NOW = Date.UTC(2026, 0, 1)
const url = 'http://a.test/'
const rules: InjectRules = { schedule: createDefaultSchedule(), scoring: createOpicScoring() }
const seed = { url, metadata: {} }

describe('injectRecord, nothing known', () => {
  it('makes an unfetched page, due now, with score 1 and the default interval', () => {
    expect(injectRecord(undefined, seed, rules, NOW)).toEqual(
      unfetchedRecord({
        url,
        fetchTime: NOW,
        fetchInterval: 2_592_000,
        modifiedTime: 0,
        retries: 0,
        score: 1,
        metadata: {},
      }),
    )
  })

  it('takes what the line gives', () => {
    const given = { url, score: 5, fetchInterval: 60, metadata: { tag: 'x' } }
    expect(injectRecord(undefined, given, rules, NOW)).toMatchObject({
      score: 5,
      fetchInterval: 60,
      metadata: { tag: 'x' },
    })
  })

  it('remembers a fixed interval', () => {
    const given = { url, fetchInterval: 60, fixedInterval: 3600, metadata: {} }
    expect(injectRecord(undefined, given, rules, NOW)).toMatchObject({
      fetchInterval: 3600,
      metadata: { fixedInterval: '3600' },
    })
  })

  it('uses another default score, and applies the scoring rule', () => {
    const other = { ...rules, defaultScore: 0.5, scoring: createDepthScoring() }
    expect(injectRecord(undefined, seed, other, NOW)).toMatchObject({
      score: 0.5,
      metadata: { _depth_: '1' },
    })
  })
})

const STATUSES = CRAWL_STATUSES.map(({ name }) => name).filter(isDbStatus)

describe.each(STATUSES)('injectRecord, known as %s', (status) => {
  const old: CrawlRecord = {
    url,
    status,
    fetchTime: 5,
    fetchInterval: 7,
    modifiedTime: 3,
    retries: 1,
    score: 9,
    lastFetchTime: 4,
    contentTime: 4,
    signature: 'aa',
    validators: { etag: '"1"' },
    metadata: { tag: 'old', keep: 'k' },
    lastOutcome: undefined,
    generatedIn: '20260101000000',
  }
  const given = { url, score: 1, fetchInterval: 2_592_000, metadata: { tag: 'new' } }

  it('keeps the record', () => {
    expect(injectRecord(old, given, rules, NOW)).toBe(old)
  })

  it('starts afresh with overwrite', () => {
    const overwrite = { ...rules, existing: 'overwrite' } as const
    expect(injectRecord(old, given, overwrite, NOW)).toEqual(injectRecord(undefined, given, rules, NOW))
  })

  it('changes with update what the line gives, defaults included, and nothing else', () => {
    const update = { ...rules, existing: 'update' } as const
    expect(injectRecord(old, given, update, NOW)).toEqual({
      ...old,
      score: 1,
      fetchInterval: 2_592_000,
      metadata: { tag: 'new', keep: 'k' },
    })
    expect(injectRecord(old, seed, update, NOW)).toEqual(old)
  })
})
