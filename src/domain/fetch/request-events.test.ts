import { beforeEach, describe, expect, it } from 'vitest'
import { RecordingLog } from '../../../testing/recording-log.ts'
import type { FetchOutcome } from './fetch-outcome.ts'
import { RequestEvents } from './request-events.ts'
import type { ObservedRequest } from './request-observer.ts'

let log: RecordingLog
let events: RequestEvents

beforeEach(() => {
  log = new RecordingLog('debug')
  events = new RequestEvents(log)
})

const URL_A = 'http://a.test/'
const timings = { startedAt: 0, totalMs: 12.4 }

function outcome(kind: string, more: object = {}): FetchOutcome {
  return { kind, url: URL_A, timings, response: { status: 200 }, ...more } as unknown as FetchOutcome
}

function end(result: FetchOutcome | undefined, changes: Partial<ObservedRequest> = {}): void {
  const limits = { startGapMs: 0, endGapMs: 1_000, maxInFlight: 1 }
  const request = {
    url: URL_A,
    key: 'a.test',
    purpose: 'page',
    queuedAt: 0,
    startedAt: 0,
    limits,
    delayMs: 1_000,
  }
  events.ended({ ...request, ...changes } as ObservedRequest, result)
}

const failed = () => outcome('network-failure', { cause: 'reset', detail: 'socket hang up' })
const fetched = (body: object = {}) => outcome('success', { body: { wireBytes: 90, ...body } })

describe('requests', () => {
  it('are logged with their outcome', () => {
    end(fetched({ truncated: 'size' }))
    end(outcome('moved', { response: { status: 301 }, to: 'http://b.test/' }))
    end(outcome('not-found', { response: { status: 404 } }))
    expect(log.events).toMatchObject([
      { code: 'PAGE_FETCHED', url: URL_A, host: 'a.test', data: { status: 200, bytes: 90, ms: 12 } },
      { code: 'BODY_TRUNCATED', data: { cause: 'size' } },
      { code: 'REDIRECTED', data: { to: 'http://b.test/' } },
      { code: 'REQUEST_FAILED', message: `${URL_A}: HTTP 404`, data: { kind: 'not-found' } },
    ])
  })

  it('of robots.txt, and those that this process aborted, are not', () => {
    end(fetched(), { purpose: 'robots' })
    end(outcome('network-failure', { cause: 'aborted', detail: 'stopped' }))
    end(undefined)
    expect(log.events).toEqual([])
  })

  it('are not observed at all with the default level', () => {
    expect(RequestEvents.of(new RecordingLog('notice'))).toBeUndefined()
    expect(RequestEvents.of(new RecordingLog('notice,politeness=info'))).toBeDefined()
  })
})

describe('a host', () => {
  beforeEach(() => {
    log = new RecordingLog('info')
    events = new RequestEvents(log)
  })

  it('is reported when its delay grows because of failures, and when it is usual again', () => {
    end(fetched())
    end(failed(), { delayMs: 5_000 })
    end(failed(), { delayMs: 10_000 })
    end(fetched(), { delayMs: 5_000 })
    end(fetched())
    expect(log.messages).toEqual([
      'a.test fails (reset: socket hang up); the delay between its requests is now 5 s',
      'a.test responds again, at its usual delay',
    ])
  })

  it('is reported when it is parked, and when it responds again', () => {
    end(failed(), { delayMs: 5_000, parkedUntil: Date.UTC(2026, 10, 17, 14) })
    end(fetched())
    expect(log.codes).toEqual(['HOST_PARKED', 'HOST_RELEASED'])
    expect(log.messages[0]).toBe(
      'a.test gets no requests until 2026-11-17T14:00:00.000Z, after: reset: socket hang up',
    )
  })

  it('is reported when it limits the rate, with its Retry-After', () => {
    const retryAt = Date.UTC(2026, 10, 17, 14)
    end(outcome('rate-limited', { response: { status: 429 }, retryAt }))
    expect(log.events).toMatchObject([{ code: 'RATE_LIMITED', data: { status: 429, retryAt } }])
    expect(log.messages[0]).toContain('no request before 2026-11-17T14:00:00.000Z (Retry-After)')
  })
})
