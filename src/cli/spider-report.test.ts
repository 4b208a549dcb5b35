import { describe, expect, it } from 'vitest'
import { type SpiderStats, StatsCounter } from '../flows/spider/spider-stats.ts'
import type { SpiderResult } from '../wiring/run-spider-options.ts'
import { isFleetFinished, isNothingDone, spiderDocument, spiderReport } from './spider-report.ts'

function resultOf(
  stats: Partial<SpiderStats>,
  more: Partial<Omit<SpiderResult, 'stats'>> = {},
): SpiderResult {
  return {
    items: [],
    ended: 'finished',
    stats: { ...new StatsCounter().snapshot(2_000), ...stats },
    robotsForbidden: 0,
    robotsFailures: [],
    pending: { ready: 0, delayed: 0, leased: 0, startsComplete: true },
    feeds: [],
    ...more,
  }
}

const NO_COUNTS: NonNullable<SpiderResult['fleet']> = {
  ...{ waiting: 0, delayed: 0, leased: 0, added: 0, duplicates: 0, done: 0, retried: 0, failed: 0 },
  ...{ malformed: 0, seen: 0, items: 0, itemsLeft: 0, freeHosts: 0, restingHosts: 0, heldHosts: 0 },
}

const RESUME = { line: 'orbweaver run a.ts --dir crawl', hasSecret: false }

describe('spiderReport', () => {
  it('reports results, failures and the directory', () => {
    const stats = {
      ...{ pages: 10, items: 12, requests: 14, redirects: 1, duplicates: 1_000, bytes: 6_500, rejected: 2 },
      dropped: { 'no price': 3 },
      skipped: { scope: 4 },
      retries: { network: 5 },
      failed: { 'http-404': 1, 'http-500': 6 },
      failures: [{ kind: 'http-500', count: 6, url: 'http://a.test/x', reason: 'the server returned 500' }],
      rejectedExamples: [{ url: 'http://a.test/y', reason: 'price: missing' }],
      failing: [{ host: 'a.test', requests: 10, failed: 7, lastFailure: 'http-500' }],
      hosts: 2,
      slowest: [
        { host: 'slow.test', requests: 4, averageMs: 1_200 },
        { host: 'a.test', requests: 10, averageMs: 20 },
      ],
    }
    const feeds = [{ target: 'items.csv' }, { target: 'crawl/items.rejected.jsonl' }]
    const robotsFailures = [
      { origin: 'http://c.test', reason: 'robots.txt returned 503', retryAt: 1_000, usesCopy: false },
    ]
    expect(spiderReport('crawl', resultOf(stats, { feeds, robotsFailures }))).toBe(`\
10 pages and 12 items in 2.0 s (5.0 pages/s, 6.5 kB): finished: queue empty
14 requests, 1 redirect, 1,000 duplicates skipped
2 rejected by the schema; see crawl/items.rejected.jsonl
  http://a.test/y  price: missing
  and 1 more
dropped by pipelines: 3 no price
not requested: 4 scope
retried: 5 network
failed: 6 http-500, 1 http-404; see orbweaver failed crawl
  http-500  http://a.test/x  the server returned 500
  and 5 more
slowest hosts:
  slow.test  1,200 ms on average, 4 requests
  a.test     20 ms on average, 10 requests
most failing hosts:
  a.test     7 of 10 requests failed, last: HTTP 500 (internal server error)
robots.txt could not be fetched; without it, a site must not be crawled:
  http://c.test  returned 503; next attempt 1970-01-01 00:00:01Z
items written to items.csv
`)
  })

  it('names an export that is incomplete, and why', () => {
    const feeds = ['items.csv', 'crawl/items.rejected.jsonl'].map((target) => ({
      target,
      error: new Error('no room\x1b'),
    }))
    expect(spiderReport('crawl', resultOf({ pages: 1 }, { feeds }))).toContain(
      'incomplete: items.csv (no room)\nincomplete: crawl/items.rejected.jsonl (no room)\n',
    )
  })

  it.each([
    ['crawl', 'Resume with: orbweaver run a.ts --dir crawl\n'],
    [undefined, 'the crawl was not kept: to be able to resume, run it with --dir <directory>\n'],
  ])('reports the remaining requests of an unfinished crawl in %s', (dir, how) => {
    const pending = { ready: 3, leased: 1, delayed: 2, nextDueAt: 1_000, startsComplete: true }
    expect(spiderReport(dir, resultOf({ pages: 1 }, { ended: 'pages', pending }), '', RESUME)).toMatch(
      new RegExp(`4 requests left, 2 for later \\(the first at 1970-01-01 00:00:01Z\\)\n${how}$`),
    )
  })

  it('reports a finished crawl to a late worker, with the command that starts it again', () => {
    const figures = { ...NO_COUNTS, added: 9, done: 8, failed: 1 }
    const result = resultOf({}, { crawl: 'shop', fleet: figures })
    expect(spiderReport(undefined, result, ' --redis redis://h')).toBe(
      'the crawl shop is finished: 8 requests done, 1 failed; there was nothing left for this worker. ' +
        'To crawl again: orbweaver clear shop --redis redis://h. To add URLs: orbweaver push shop <url> --redis redis://h\n',
    )
    expect(isFleetFinished(result)).toBe(true)
    const empty = resultOf({}, { crawl: 'shop', fleet: NO_COUNTS })
    expect(spiderReport(undefined, empty)).toMatch(/^nothing to do: the crawl shop has no requests\. Add/)
    expect(isFleetFinished(empty)).toBe(false)
  })

  it('names the commands that inspect a crawl in Redis', () => {
    const pending = { ready: 3, leased: 0, delayed: 0, startsComplete: true }
    const result = resultOf({ pages: 1, failed: { x: 1 } }, { crawl: 'shop', ended: 'drained', pending })
    expect(spiderReport(undefined, result, '', RESUME)).toMatch(
      /see orbweaver failed shop --redis\n.*Resume with: orbweaver resume shop\nthen: orbweaver run a\.ts --dir crawl\n$/s,
    )
  })

  it('explains to a late worker that other workers have reached the page limit', () => {
    const text = /other workers of this run/
    expect(spiderReport(undefined, resultOf({}, { crawl: 'shop', ended: 'pages' }))).toMatch(text)
    expect(spiderReport(undefined, resultOf({ pages: 1 }, { crawl: 'shop', ended: 'pages' }))).not.toMatch(
      text,
    )
    expect(spiderReport('crawl', resultOf({}, { ended: 'pages' }))).not.toMatch(text)
  })

  it('does not suggest to resume if the limit was reached with the last page', () => {
    expect(spiderReport('crawl', resultOf({ pages: 1 }, { ended: 'pages' }))).not.toMatch(/left\n|Resume/)
  })

  it('removes control characters from reasons of the spider', () => {
    expect(spiderReport(undefined, resultOf({ pages: 1, dropped: { 'a\x1b[31m': 1 } }))).not.toContain('\x1b')
  })
})

it('names the rules if no start request was accepted', () => {
  expect(spiderReport(undefined, resultOf({ skipped: { 'limits.maxPagesPerHost': 2 } }))).toMatch(
    /^nothing to do: no start request was accepted; not requested: 2 limits\.maxPagesPerHost\. Check/,
  )
})

describe('isNothingDone', () => {
  it.each([
    [{}, true],
    [{ pages: 1 }, false],
    [{ requests: 1 }, false],
    [{ failed: { 'robots-unreachable': 1 } }, false],
    [{ skipped: { 'robots.txt': 1 } }, false],
    [{ skipped: { scope: 1 } }, true],
  ])('is, for %j, %j', (stats, expected) => {
    expect(isNothingDone(resultOf(stats))).toBe(expected)
  })

  it('is false after an interruption before the first request', () => {
    expect(isNothingDone(resultOf({}, { ended: 'interrupted' }))).toBe(false)
  })
})

it('has the message of a failed export in JSON', () => {
  const feeds = [{ target: 'a', error: new Error('full') }, { target: 'b' }]
  expect(spiderDocument(resultOf({}, { feeds })).feeds).toEqual([
    { target: 'a', error: 'full' },
    { target: 'b', error: null },
  ])
})
