import { beforeEach, describe, expect, it } from 'vitest'
import type { LiveReport } from '../domain/live/live-report.ts'
import { ProgressEpisodes } from './progress-episodes.ts'

let episodes: ProgressEpisodes
let at: number
let requests: number
let errors: number
let lastProgressAt: number
let state: LiveReport['state']

beforeEach(() => {
  episodes = new ProgressEpisodes({ errorRatePercent: 50, noProgressMs: 300_000 })
  at = 1_000_000
  requests = 0
  errors = 0
  lastProgressAt = at
  state = 'running'
  next(0, 0)
})

/** One second with these requests. */
function next(sent: number, failed: number): string[] {
  at += 1_000
  requests += sent
  errors += failed
  if (sent > failed) lastProgressAt = at
  const report = { at, state, lastProgressAt, totals: { requests, errors } } as LiveReport
  return episodes.check(report).map(({ event, text }) => `${event}: ${text}`)
}

function seconds(n: number, sent: number, failed: number): string[] {
  return Array.from({ length: n }, () => next(sent, failed)).flat()
}

describe('a high error rate', () => {
  it('is reported once when it begins and once when it is over', () => {
    expect(seconds(100, 2, 0)).toEqual([])
    expect(seconds(100, 2, 2)).toEqual(['error-rate: 60 of 120 requests failed in the last minute'])
    expect(seconds(200, 2, 0)).toEqual(['error-rate-over: only 58 of 120 requests failed in the last minute'])
    expect(seconds(100, 2, 2)).toHaveLength(1)
  })

  it('needs some requests', () => {
    expect(seconds(19, 1, 1)).toEqual([])
    expect(seconds(1, 1, 1)).toEqual(['error-rate: 20 of 20 requests failed in the last minute'])
  })

  it('is not over because nothing is requested', () => {
    expect(seconds(30, 1, 1)).toHaveLength(1)
    expect(seconds(120, 0, 0)).toEqual([])
  })
})

describe('missing progress', () => {
  it('is reported once when it begins and once when it is over', () => {
    expect(seconds(298, 0, 0)).toEqual([])
    expect(seconds(600, 0, 0)).toEqual(['no-progress: no page in the last 5 minutes'])
    expect(next(1, 0)).toEqual(['no-progress-over: the crawl makes progress again'])
    expect(seconds(400, 0, 0)).toHaveLength(1)
  })

  it('is not reported for a paused crawl', () => {
    state = 'paused'
    expect(seconds(1_000, 0, 0)).toEqual([])
  })
})
