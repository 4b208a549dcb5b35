import { describe, expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { FakeLiveCrawl } from '../../../testing/fake-live-crawl.ts'
import { CRAWL_METRICS } from './crawl-metrics.ts'
import type { Sample } from './metric-family.ts'

const KINDS = ['cycle', 'spider', 'fleet'] as const

async function samplesOf(kind: (typeof KINDS)[number]): Promise<ReadonlyMap<string, readonly Sample[]>> {
  const live = new FakeLiveCrawl(new FakeClock(), { kind })
  const [report, { hosts }] = await Promise.all([
    live.report(),
    live.hosts({ sort: 'queued', descending: true, offset: 0, limit: 5 }),
  ])
  const crawl = { ...report, longestQueues: hosts, parkedLongest: hosts }
  return new Map(CRAWL_METRICS.map((metric) => [metric.name, metric.samples(crawl)]))
}

/** `[value, …]` for samples without labels, `[label value=value]` with one. */
function textOf(samples: readonly Sample[] = []): unknown[] {
  return samples.map(({ suffix = '', labels = {}, value }) =>
    [suffix, ...Object.values(labels), value].filter((part) => part !== '').join(' '),
  )
}

describe('CRAWL_METRICS', () => {
  it.each(CRAWL_METRICS)('$name follows the naming conventions of Prometheus', ({ name, type, help }) => {
    expect(name).toMatch(/^orbweaver_[a-z]+(_[a-z]+)*$/)
    expect(name.endsWith('_total')).toBe(type === 'counter')
    expect(name).not.toMatch(/_(ms|milliseconds|minutes|kb|mb|count|sum|bucket)(_|$)/)
    expect(help).toMatch(/^[A-Z].*[.]$/)
  })

  it('has each name once', () => {
    const names = CRAWL_METRICS.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
  })

  it('has samples of every metric for some kind of crawl, with the labels of the metric', async () => {
    const found = new Map<string, Set<string>>()
    for (const kind of KINDS)
      for (const [name, samples] of await samplesOf(kind))
        for (const { labels = {} } of samples)
          found.set(name, new Set([...(found.get(name) ?? []), ...Object.keys(labels)]))
    const expected = new Map(CRAWL_METRICS.map(({ name, labels }) => [name, new Set(labels)]))
    expect(found).toEqual(expected)
  })

  it('takes the totals of the report', async () => {
    const report = await new FakeLiveCrawl(new FakeClock()).report()
    const samples = await samplesOf('cycle')
    expect(textOf(samples.get('orbweaver_pages_total'))).toEqual([`${report.totals.pages}`])
    expect(textOf(samples.get('orbweaver_outcomes_total'))).toEqual(
      Object.entries(report.outcomes).map(([outcome, count]) => `${outcome} ${count}`),
    )
    expect(textOf(samples.get('orbweaver_state'))).toEqual([
      ...['running 1', 'paused 0', 'stopping 0', 'finished 0'],
    ])
  })

  it('adds the counts of smaller buckets to each bucket of the histogram, in seconds', async () => {
    const live = await new FakeLiveCrawl(new FakeClock()).report()
    const report = { ...live, responseTimes: { boundsMs: [100, 2_500], counts: [4, 5, 6], sumMs: 45_678 } }
    const metric = CRAWL_METRICS.find(({ type }) => type === 'histogram')
    expect(textOf(metric?.samples({ ...report, longestQueues: [], parkedLongest: [] }))).toEqual([
      ...['_bucket 0.1 4', '_bucket 2.5 9', '_bucket +Inf 15', '_sum 45.678', '_count 15'],
    ])
  })

  it('has no histogram without buckets', async () => {
    const live = await new FakeLiveCrawl(new FakeClock(), { kind: 'fleet' }).report()
    const report = { ...live, responseTimes: { boundsMs: [], counts: [], sumMs: 0 } }
    const metric = CRAWL_METRICS.find(({ type }) => type === 'histogram')
    expect(metric?.samples({ ...report, longestQueues: [], parkedLongest: [] })).toEqual([])
  })

  it('counts only workers whose lease has not expired', async () => {
    const live = await new FakeLiveCrawl(new FakeClock(), { kind: 'fleet' }).report()
    const [first, ...others] = live.fleet?.workers ?? []
    const workers = first === undefined ? [] : [{ ...first, expiresAt: live.at - 1 }, ...others]
    const report = { ...live, ...(live.fleet && { fleet: { ...live.fleet, workers } }) }
    const metric = CRAWL_METRICS.find(({ name }) => name === 'orbweaver_fleet_workers')
    expect(textOf(metric?.samples({ ...report, longestQueues: [], parkedLongest: [] }))).toEqual(['1'])
  })
})
