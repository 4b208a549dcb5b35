import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createAdaptiveSchedule } from '../schedule/adaptive-schedule.ts'
import { createDefaultSchedule } from '../schedule/default-schedule.ts'
import { createFreshnessSchedule } from '../schedule/freshness-schedule.ts'
import { createDepthScoring } from '../scoring/depth-scoring.ts'
import { createOpicScoring } from '../scoring/opic-scoring.ts'
import { type CrawlRecord, unfetchedRecord } from './crawl-record.ts'
import { CRAWL_STATUSES, type DbStatus } from './crawl-status.ts'
import { type FetchEvent, type UpdateRules, updateRecord } from './update-record.ts'

/** Nutch's defaults. */
const ORPHANS = { goneAfterSeconds: 2_592_000, orphanAfterSeconds: 3_456_000 }
const NOW = Date.UTC(2026, 0, 1)
const DAY_MS = 86_400_000
const url = 'http://a.test/'
const rules: UpdateRules = { schedule: createDefaultSchedule(), scoring: createOpicScoring() }
const SCHEDULES = [
  ['default', rules.schedule],
  ['adaptive', createAdaptiveSchedule()],
  ['freshness', createFreshnessSchedule()],
] as const

const fresh = unfetchedRecord({ url, ...rules.schedule.initialise(NOW), score: 1, metadata: {} })
const fetched: CrawlRecord = {
  ...fresh,
  status: 'db_fetched',
  fetchTime: NOW - DAY_MS,
  lastFetchTime: NOW - 31 * DAY_MS,
  contentTime: NOW - 31 * DAY_MS,
  modifiedTime: NOW - 61 * DAY_MS,
  signature: 'aa',
  validators: { etag: '"1"' },
  metadata: { tag: 'x' },
  generatedIn: '20260101000000',
}

type EventOf<K extends FetchEvent['kind']> = Extract<FetchEvent, { kind: K }>
const success = (more: Partial<EventOf<'success'>> = {}): FetchEvent => ({
  kind: 'success',
  fetchedAt: NOW,
  ...more,
})
const event = (kind: 'not-modified' | 'gone' | 'retry' | 'parse-failed' | 'not-reached', fetchedAt = NOW) =>
  ({ kind, fetchedAt }) as const
const redirect = (permanent: boolean): FetchEvent => ({ kind: 'redirect', permanent, fetchedAt: NOW })

describe.each(SCHEDULES)('the status matrix, %s schedule', (_name, schedule) => {
  const LETTERS: Record<string, DbStatus> = {
    U: 'db_unfetched',
    F: 'db_fetched',
    G: 'db_gone',
    T: 'db_redir_temp',
    P: 'db_redir_perm',
    N: 'db_notmodified',
    D: 'db_duplicate',
    O: 'db_orphan',
    X: 'db_parse_failed',
  }
  const COLUMNS: readonly [string, FetchEvent | undefined, Partial<CrawlRecord>?][] = [
    ['other content', success({ signature: 'bb' })],
    ['content, not parsed', success()],
    ['content, none before', success({ signature: 'aa' }), { signature: undefined }],
    ['same content', success({ signature: 'aa' })],
    ['304', event('not-modified')],
    ['redir_temp', redirect(false)],
    ['redir_perm', redirect(true)],
    ['gone', event('gone')],
    ['retry 1', event('retry'), { retries: 0 }],
    ['retry 2', event('retry'), { retries: 1 }],
    ['retry 3', event('retry'), { retries: 2 }],
    ['parse_failed', event('parse-failed')],
    ['not reached', event('not-reached')],
    ['no fetch', undefined],
  ]
  //           other, unparsed, first, same, 304, temp, perm, gone, retry ×3, parse failed, not reached, none
  const MATRIX: Record<string, string> = {
    '-': 'F F F F N T P G U U U X U -',
    U: 'F F F N N T P G U U G X U U',
    F: 'F F F N N T P G U U G X F F',
    G: 'F F F N N T P G U U G X G G',
    T: 'F F F N N T P G U U G X T T',
    P: 'F F F N N T P G U U G X P P',
    N: 'F F F N N T P G U U G X N N',
    D: 'F F F N N T P G U U G X D D',
    O: 'F F F N N T P G U U G X O O',
    X: 'F F F N N T P G U U G X X X',
  }

  const cases = Object.entries(MATRIX).flatMap(([before, row]) =>
    row.split(' ').map((after, i) => {
      const [name, fetch, change] = COLUMNS[i] ?? ['', undefined]
      const status = LETTERS[before]
      const old = status === undefined ? undefined : { ...fetched, status, ...change }
      return { before, name, after, old, fetch }
    }),
  )

  it.each(cases)('$before, $name → $after', ({ old, fetch, after }) => {
    const events = { url, ...(fetch && { fetch }) }
    const result = updateRecord(old, events, { ...rules, schedule }, NOW)
    expect(result?.status).toBe(LETTERS[after])
    for (const count of [0, 1, 2]) {
      const linked = updateRecord(
        old,
        { ...events, inlinks: { scoreSum: count, count } },
        { ...rules, schedule },
        NOW,
      )
      expect(linked?.status).toBe(LETTERS[after] ?? 'db_unfetched')
      expect(linked?.fetchTime).toBe(result?.fetchTime ?? NOW)
    }
    expect(updateRecord(old, events, { ...rules, schedule, additionsAllowed: false }, NOW)?.status).toBe(
      old && LETTERS[after],
    )
  })
})

describe('updateRecord', () => {
  const update = (old: CrawlRecord | undefined, fetch: FetchEvent, more: Partial<UpdateRules> = {}) =>
    updateRecord(old, { url, fetch }, { ...rules, ...more }, NOW)

  it('puts a page off that was not reached because its host must wait', () => {
    const retryAt = NOW + DAY_MS
    const putOff = update(fresh, { kind: 'not-reached', fetchedAt: NOW, retryAt })
    expect(putOff).toEqual({ ...fresh, fetchTime: retryAt })
    expect(update(fresh, { kind: 'not-reached', fetchedAt: NOW })?.fetchTime).toBe(fresh.fetchTime)
    const never = { kind: 'not-reached', fetchedAt: NOW, retryAt: Number.MAX_SAFE_INTEGER } as const
    expect(update(fresh, never)?.fetchTime).toBe(NOW + rules.schedule.maxIntervalSeconds * 1000)
  })

  it('tries a page again that the server refuses, ever later, before it is gone', () => {
    const outcome = { protocolStatus: 'ACCESS_DENIED', httpStatus: 403 } as const
    let page: CrawlRecord | undefined = fresh
    const seen: unknown[] = []
    for (let at = NOW; seen.length < 3; at = page?.fetchTime ?? 0) {
      page = update(page, { kind: 'retry', fetchedAt: at, outcome })
      seen.push([page?.status, ((page?.fetchTime ?? 0) - at) / 3_600_000])
    }
    expect(seen).toEqual([
      ['db_unfetched', 1],
      ['db_unfetched', 24],
      ['db_gone', 45 * 24],
    ])
    expect(page?.lastOutcome).toEqual(outcome)
  })

  it('remembers a page found by links, due at once', () => {
    expect(updateRecord(undefined, { url, inlinks: { scoreSum: 0.5, count: 2 } }, rules, NOW)).toEqual({
      ...fresh,
      score: 0.5,
    })
  })

  it('lets a redirect target inherit score and metadata', () => {
    const redirectedFrom = { score: 2, metadata: { tag: 'x', _depth_: '2' } }
    const target = updateRecord(undefined, { url, redirectedFrom }, rules, NOW)
    expect(target).toEqual({ ...fresh, score: 2, metadata: redirectedFrom.metadata })
    expect(updateRecord(fetched, { url, redirectedFrom }, rules, NOW)).toEqual(fetched)
  })

  it('changes only the score of a known page that gets links, not its place on a fetch list', () => {
    const linked = updateRecord(fetched, { url, inlinks: { scoreSum: 0.5, count: 1 } }, rules, NOW)
    expect(linked).toEqual({ ...fetched, score: 1.5 })
  })

  it('leaves a page as it is when nothing happened', () => {
    expect(updateRecord(fetched, { url }, rules, NOW)).toEqual(fetched)
  })

  describe('of a page that was merged before it was parsed', () => {
    const unread = {
      ...fetched,
      lastFetchTime: NOW,
      signature: undefined,
      fetchTime: NOW + DAY_MS,
      retries: 0,
    }

    it('adds the signature, and neither schedules nor counts the fetch again', () => {
      const read = update(unread, success({ signature: 'bb', metadata: { kind: 'y' } }))
      expect(read).toEqual({ ...unread, signature: 'bb', metadata: { tag: 'x', kind: 'y' } })
      expect(update(read, success({ signature: 'bb' }))).toEqual(read)
    })

    it('takes off what the page has given its links since', () => {
      const conserving = createOpicScoring({ conserving: true })
      expect(
        update(unread, success({ signature: 'bb', scoreGiven: 0.75 }), { scoring: conserving })?.score,
      ).toBe(0.25)
    })

    it('marks it when it could not be read, and leaves it on its fetch list', () => {
      const failed = update(unread, event('parse-failed'))
      expect(failed).toMatchObject({ status: 'db_parse_failed', generatedIn: fetched.generatedIn })
      expect(update(failed, event('parse-failed'))).toEqual(failed)
      expect(failed?.fetchTime).toBe(rules.schedule.onGone(unread, NOW).fetchTime)
    })

    it('changes nothing when the page was fetched again since, or reading brought nothing', () => {
      const later = { ...unread, lastFetchTime: NOW + 1 }
      expect(update(later, success({ signature: 'bb' }))).toEqual(later)
      expect(update(unread, success())).toEqual(unread)
      expect(
        update({ ...unread, status: 'db_gone' }, success({ signature: 'bb' }))?.signature,
      ).toBeUndefined()
    })
  })

  it('stores what a success brought', () => {
    const validators = { lastModified: 'Thu, 01 Jan 2026 00:00:00 GMT' }
    const metadata = { 'Content-Type': 'text/html' }
    expect(update(fetched, success({ signature: 'bb', validators, metadata }))).toEqual({
      ...fetched,
      status: 'db_fetched',
      fetchTime: NOW + 30 * DAY_MS,
      lastFetchTime: NOW,
      contentTime: NOW,
      modifiedTime: NOW,
      signature: 'bb',
      validators,
      metadata: { tag: 'x', 'Content-Type': 'text/html' },
      generatedIn: undefined,
    })
  })

  it('keeps the time of the last change when the content is the same, by signature or by 304', () => {
    for (const fetch of [success({ signature: 'aa' }), event('not-modified')]) {
      expect(update(fetched, fetch)).toMatchObject({ modifiedTime: fetched.modifiedTime, signature: 'aa' })
    }
  })

  it('does not take a page that was fetched but not parsed for unmodified', () => {
    const unparsed = update(fetched, success())
    expect(unparsed).toMatchObject({ status: 'db_fetched', signature: undefined })
    expect(update(unparsed, { ...success({ signature: 'aa' }), fetchedAt: NOW + 1 })?.status).toBe(
      'db_fetched',
    )
  })

  it('keeps validators after a 304 and a transient failure, and drops them when there is no page', () => {
    const validators = (fetch: FetchEvent, old = fetched) => update(old, fetch)?.validators
    expect(validators(event('not-modified'))).toEqual({ etag: '"1"' })
    expect(validators({ ...event('not-modified'), validators: { etag: '"2"' } })).toEqual({ etag: '"2"' })
    expect(validators(event('retry'))).toEqual({ etag: '"1"' })
    expect(validators(event('not-reached'))).toEqual({ etag: '"1"' })
    for (const fetch of [event('gone'), event('parse-failed'), redirect(true), redirect(false), success()]) {
      expect(validators(fetch)).toBeUndefined()
    }
    expect(validators(event('retry'), { ...fetched, retries: 2 })).toBeUndefined()
  })

  it('records the time of the request, and of the last body', () => {
    for (const fetch of [success(), event('parse-failed')]) {
      expect(update(fetched, fetch)).toMatchObject({ lastFetchTime: NOW, contentTime: NOW })
    }
    for (const fetch of [event('not-modified'), event('gone'), event('retry'), redirect(true)]) {
      expect(update(fetched, fetch)).toMatchObject({ lastFetchTime: NOW, contentTime: fetched.contentTime })
    }
  })

  it('forgets the signature of a page that redirects, and of no other that failed', () => {
    expect(update(fetched, redirect(true))?.signature).toBeUndefined()
    for (const fetch of [event('gone'), event('parse-failed'), event('retry')]) {
      expect(update(fetched, fetch)?.signature).toBe('aa')
    }
  })

  it('waits for the Retry-After before trying again, up to the longest interval', () => {
    const due = (retryAt: number) => update(fetched, { ...event('retry'), retryAt })?.fetchTime
    expect(due(NOW + 1000)).toBe(NOW + DAY_MS)
    expect(due(NOW + 3 * DAY_MS)).toBe(NOW + 3 * DAY_MS)
    expect(due(NOW + 999 * DAY_MS)).toBe(NOW + 90 * DAY_MS)
  })

  it('frees a page that was not reached, with the reason, and leaves it due', () => {
    expect(update(fetched, { ...event('not-reached'), metadata: { reason: 'time limit' } })).toEqual({
      ...fetched,
      metadata: { tag: 'x', reason: 'time limit' },
      generatedIn: undefined,
    })
    expect(update(undefined, event('not-reached'))).toEqual({ ...fresh, score: 0 })
  })

  it('takes a higher limit of retries', () => {
    expect(update({ ...fetched, retries: 8 }, event('retry'), { retryMax: 10 })?.status).toBe('db_unfetched')
    expect(update({ ...fetched, retries: 9 }, event('retry'), { retryMax: 10 })?.status).toBe('db_gone')
  })

  it('takes what a page gave away when scores are conserved', () => {
    const scoring = createOpicScoring({ conserving: true })
    expect(update(fetched, success({ scoreGiven: 0.85 }), { scoring })?.score).toBeCloseTo(0.15)
  })

  it('counts depth from the links', () => {
    const scoring = createDepthScoring()
    const found = updateRecord(
      undefined,
      { url, inlinks: { scoreSum: 0, count: 2, minDepth: 3 } },
      { ...rules, scoring },
      NOW,
    )
    expect(found?.metadata).toEqual({ _depth_: '3' })
  })

  it('marks pages without inlinks if configured', () => {
    const linkedAt = (days: number) => ({
      ...fetched,
      metadata: { _orphan_: String(NOW / 1000 - days * 86_400) },
    })
    const none = (old: CrawlRecord) => updateRecord(old, { url }, { ...rules, orphans: ORPHANS }, NOW)?.status
    expect([29, 31, 41].map((days) => none(linkedAt(days)))).toEqual(['db_fetched', 'db_gone', 'db_orphan'])
    expect(none(fetched)).toBe('db_fetched')
    expect(none({ ...linkedAt(41), status: 'db_gone' })).toBe('db_orphan')
    expect(updateRecord(linkedAt(41), { url }, rules, NOW)?.status).toBe('db_fetched')
    const inlinks = { scoreSum: 0, count: 1 }
    expect(updateRecord(linkedAt(41), { url, inlinks }, { ...rules, orphans: ORPHANS }, NOW)).toMatchObject({
      status: 'db_fetched',
      metadata: { _orphan_: String(NOW / 1000) },
    })
  })

  const anyStatus = fc.constantFrom(
    ...CRAWL_STATUSES.filter(({ kind }) => kind === 'db').map(({ name }) => name as DbStatus),
  )
  const anyRecord = fc.record({
    fetchInterval: fc.nat(400 * 86_400),
    modifiedTime: fc.integer({ min: 0, max: NOW }),
    lastFetchTime: fc.integer({ min: 0, max: NOW - 1 }),
    contentTime: fc.integer({ min: 0, max: NOW - 1 }),
    retries: fc.nat(5),
    signature: fc.constantFrom('aa', 'bb', undefined),
  })
  const anyFetch = fc.constantFrom<FetchEvent>(
    success(),
    success({ signature: 'aa' }),
    event('not-modified'),
    redirect(true),
    redirect(false),
    event('gone'),
    event('retry'),
    event('parse-failed'),
  )

  it('does not depend on the old status', () => {
    fc.assert(
      fc.property(anyRecord, anyFetch, anyStatus, anyStatus, (some, fetch, one, other) => {
        const a = update({ ...fetched, ...some, status: one }, fetch)
        expect(a).toEqual(update({ ...fetched, ...some, status: other }, fetch))
      }),
    )
  })

  it.each(SCHEDULES)(
    'schedules the next fetch in the future, and not further than the maximum: %s',
    (_name, schedule) => {
      fc.assert(
        fc.property(anyRecord, anyFetch, (some, fetch) => {
          const next = update({ ...fetched, ...some }, fetch, { schedule })
          expect(next?.fetchTime).toBeGreaterThan(NOW)
          expect(next?.fetchTime).toBeLessThanOrEqual(NOW + schedule.maxIntervalSeconds * 1000)
        }),
      )
    },
  )

  it('counts no fetch twice, and none that is older than the last', () => {
    fc.assert(
      fc.property(anyRecord, anyFetch, anyFetch, (some, fetch, older) => {
        const once = update({ ...fetched, ...some }, fetch)
        expect(update(once, fetch)).toEqual(once)
        expect(update(once, { ...older, fetchedAt: NOW - 1 })).toEqual(once)
      }),
    )
  })
})
