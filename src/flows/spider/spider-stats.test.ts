import { describe, expect, it } from 'vitest'
import type { FetchOutcome } from '../../domain/fetch/fetch-outcome.ts'
import { StatsCounter } from './spider-stats.ts'

function success(url: string, totalMs: number): FetchOutcome {
  return {
    kind: 'success',
    url,
    timings: { startedAt: 0, totalMs },
    response: { status: 200, headers: [], requestHeaders: [], address: '', protocol: '' },
    body: { bytes: new Uint8Array(30), wireBytes: 10, decoded: [] },
  }
}

describe('StatsCounter', () => {
  it('counts requests, bytes on the wire and hosts', () => {
    const stats = new StatsCounter()
    stats.fetched(success('http://a.test/1', 100))
    stats.fetched(success('http://a.test/2', 200))
    stats.fetched(success('http://b.test/', 10))
    expect(stats.snapshot(1_234.6)).toMatchObject({
      requests: 3,
      bytes: 30,
      hosts: 2,
      durationMs: 1_235,
      slowest: [
        { host: 'a.test', requests: 2, averageMs: 150 },
        { host: 'b.test', requests: 1, averageMs: 10 },
      ],
    })
  })

  it('counts failed requests by host, and keeps the first rejected items', () => {
    const stats = new StatsCounter()
    const { body: _, ...ok } = success('http://b.test/', 10) as Extract<FetchOutcome, { kind: 'success' }>
    stats.fetched({ ...ok, kind: 'server-error', response: { ...ok.response, status: 500 } })
    stats.fetched(success('http://a.test/', 10))
    stats.rejects('http://a.test/', ['price: missing', 'title: missing'])
    for (let i = 0; i < 9; i++) stats.rejects(`http://a.test/${i}`, ['no'])
    const { failing, rejected, rejectedExamples } = stats.snapshot(0)
    expect(failing).toEqual([{ host: 'b.test', requests: 1, failed: 1, lastFailure: 'http-500' }])
    expect(rejected).toBe(11)
    expect(rejectedExamples).toHaveLength(5)
    expect(rejectedExamples[1]).toEqual({ url: 'http://a.test/', reason: 'title: missing' })
  })

  it('shows at most the ten slowest hosts', () => {
    const stats = new StatsCounter()
    for (let i = 0; i < 30; i++) stats.fetched(success(`http://h${i}.test/`, i))
    const { slowest, hosts } = stats.snapshot(0)
    expect(hosts).toBe(30)
    expect(slowest.map(({ averageMs }) => averageMs)).toEqual([29, 28, 27, 26, 25, 24, 23, 22, 21, 20])
  })

  it('counts what was skipped by the first word of the rule', () => {
    const stats = new StatsCounter()
    stats.skipped('scope: a.test is not allowed')
    stats.skipped('scope: b.test is not allowed')
    stats.skipped('depth: 3, the limit is 2')
    expect(stats.snapshot(0).skipped).toEqual({ scope: 2, depth: 1 })
  })

  it('puts reasons without end together', () => {
    const stats = new StatsCounter()
    for (let i = 0; i < 250; i++) stats.dropped(`price ${i}`)
    stats.dropped('price 3')
    const { dropped } = stats.snapshot(0)
    expect(Object.keys(dropped)).toHaveLength(101)
    expect(dropped['other']).toBe(150)
    expect(dropped['price 3']).toBe(2)
  })

  it.each(['constructor', '__proto__', 'toString'])('counts the reason %s like any other', (reason) => {
    const stats = new StatsCounter()
    stats.dropped(reason)
    stats.dropped(reason)
    expect(Object.entries(stats.snapshot(0).dropped)).toEqual([[reason, 2]])
  })

  it('hands out snapshots that stay as they are', () => {
    const stats = new StatsCounter()
    stats.failed('http-404', 'http://a.test/', 'the server returned 404')
    const before = stats.snapshot(0)
    stats.failed('http-404', 'http://a.test/', 'the server returned 404')
    expect(before.failed).toEqual({ 'http-404': 1 })
  })
})
