import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { describe, expect, it } from 'vitest'
import { formatMetrics, METRICS_CONTENT_TYPE, type MetricFamily } from './metric-family.ts'

const HOSTILE = 'a"b\\c\nd{e="f"} 1 é 網'

const FAMILIES: readonly MetricFamily[] = [
  {
    ...{ name: 'requests_total', type: 'counter', help: 'Requests\nby \\ outcome "quoted".' },
    samples: [
      { value: 3, labels: { outcome: 'success' } },
      { value: 0.125, labels: { outcome: HOSTILE, crawl: 'a/b' } },
    ],
  },
  { ...{ name: 'queued', type: 'gauge', help: 'URLs.' }, samples: [{ value: 12_345_678_901 }] },
  { ...{ name: 'small', type: 'gauge', help: 'A rate.' }, samples: [{ value: 1e-7 }] },
  {
    ...{ name: 'time_seconds', type: 'histogram', help: 'Response times.' },
    samples: [
      { suffix: '_bucket', labels: { le: '0.1' }, value: 1 },
      { suffix: '_bucket', labels: { le: '2.5' }, value: 2 },
      { suffix: '_bucket', labels: { le: '+Inf' }, value: 3 },
      { suffix: '_sum', value: 32.05 },
      { suffix: '_count', value: 3 },
    ],
  },
]

/** The same metrics in prom-client. */
function promClient(): Registry {
  const registry = new Registry()
  const registers = [registry]
  const requests = new Counter({
    ...{ name: 'requests_total', help: 'Requests\nby \\ outcome "quoted".' },
    ...{ labelNames: ['outcome', 'crawl'], registers },
  })
  requests.inc({ outcome: 'success' }, 3)
  requests.inc({ outcome: HOSTILE, crawl: 'a/b' }, 0.125)
  new Gauge({ name: 'queued', help: 'URLs.', registers }).set(12_345_678_901)
  new Gauge({ name: 'small', help: 'A rate.', registers }).set(1e-7)
  const times = new Histogram({
    ...{ name: 'time_seconds', help: 'Response times.', buckets: [0.1, 2.5], registers },
  })
  for (const seconds of [0.05, 2, 30]) times.observe(seconds)
  return registry
}

const linesOf = (text: string) => text.split('\n').filter((line) => line !== '')

describe('formatMetrics', () => {
  it('writes the same lines as prom-client, with the same content type', async () => {
    const registry = promClient()
    expect(linesOf(formatMetrics(FAMILIES))).toEqual(linesOf(await registry.metrics()))
    expect(METRICS_CONTENT_TYPE).toBe(registry.contentType)
  })

  it('ends every line, also the last one', () => {
    expect(formatMetrics(FAMILIES)).toMatch(/\n$/)
  })

  it('leaves out metrics without samples', () => {
    expect(formatMetrics([{ name: 'a', type: 'gauge', help: 'A.', samples: [] }])).toBe('')
  })

  it('writes infinite values as Prometheus reads them', () => {
    const samples = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN].map((value) => ({
      value,
    }))
    expect(linesOf(formatMetrics([{ name: 'a', type: 'gauge', help: 'A.', samples }])).slice(2)).toEqual([
      ...['a +Inf', 'a -Inf', 'a NaN'],
    ])
  })
})
