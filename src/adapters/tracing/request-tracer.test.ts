import { SpanKind, SpanStatusCode } from '@opentelemetry/api'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { beforeEach, describe, expect, it } from 'vitest'
import type { FetchOutcome, FetchTimings } from '../../domain/fetch/fetch-outcome.ts'
import type { ObservedRequest } from '../../domain/fetch/request-observer.ts'
import { RequestTracer } from './request-tracer.ts'

const START = 1_800_000_000_000
const exporter = new InMemorySpanExporter()
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
let elapsedMs = 0
const tracer = new RequestTracer(provider.getTracer('orbweaver'), () => elapsedMs)
beforeEach(() => exporter.reset())

const REQUEST: ObservedRequest = {
  url: 'https://a.test:8443/x?y=1',
  ...{ key: 'a.test', purpose: 'page', queuedAt: START, startedAt: START + 500, endedAt: START + 600.25 },
}
const TIMINGS: FetchTimings = {
  startedAt: START + 500,
  ...{ dnsMs: 10, connectMs: 30, headersMs: 80, totalMs: 100.25 },
}
const RESPONSE = { status: 200, headers: [], requestHeaders: [], address: '192.0.2.1', protocol: 'h2' }
const SUCCESS: FetchOutcome = {
  kind: 'success',
  url: REQUEST.url,
  timings: TIMINGS,
  response: RESPONSE,
  body: { bytes: new Uint8Array(5), wireBytes: 3, decoded: ['gzip'] },
}

/** The spans of one request whose processing takes 40 ms. */
function spansOf(request: ObservedRequest, outcome: FetchOutcome | undefined): readonly ReadableSpan[] {
  tracer.ended(request, outcome)
  elapsedMs += 40
  tracer.processed(request)
  return exporter.getFinishedSpans()
}

/** `name from to`, in milliseconds after START. */
function timeline(spans: readonly ReadableSpan[]): string[] {
  const at = ([seconds, nanos]: readonly [number, number]) =>
    Math.round((seconds * 1000 - START + nanos / 1e6) * 100) / 100
  return spans.map(({ name, startTime, endTime }) => `${name} ${at(startTime)} ${at(endTime)}`)
}

describe('a request that succeeds', () => {
  it('has spans for the queue, each phase and the processing', () => {
    expect(timeline(spansOf(REQUEST, SUCCESS))).toEqual([
      ...['queue 0 500', 'dns 500 510', 'connect 510 530', 'wait 530 580', 'receive 580 600.25'],
      ...['GET 500 600.25', 'process 600.25 640.25', 'page 0 640.25'],
    ])
  })

  it('is one trace: the phases are children of the HTTP request, which is a child of the page', () => {
    const spans = spansOf(REQUEST, SUCCESS)
    const nameOf = (id: string | undefined) =>
      spans.find((span) => span.spanContext().spanId === id)?.name ?? ''
    expect(
      spans.map(({ name, parentSpanContext }) => `${nameOf(parentSpanContext?.spanId)} > ${name}`),
    ).toEqual([
      ...['page > queue', 'GET > dns', 'GET > connect', 'GET > wait', 'GET > receive'],
      ...['page > GET', 'page > process', ' > page'],
    ])
    expect(new Set(spans.map((span) => span.spanContext().traceId)).size).toBe(1)
  })

  it('has the attributes of the HTTP conventions on its client span', () => {
    const http = spansOf(REQUEST, SUCCESS).find(({ name }) => name === 'GET')
    expect(http?.kind).toBe(SpanKind.CLIENT)
    expect(http?.status.code).toBe(SpanStatusCode.UNSET)
    expect(http?.attributes).toEqual({
      'http.request.method': 'GET',
      'url.full': REQUEST.url,
      'server.address': 'a.test',
      'server.port': 8443,
      'http.response.status_code': 200,
      'network.peer.address': '192.0.2.1',
      'network.protocol.version': '2',
      'http.response.body.size': 3,
    })
  })

  it('has no spans for phases of a reused connection', () => {
    const timings = { startedAt: START + 500, headersMs: 20, totalMs: 30 }
    expect(timeline(spansOf(REQUEST, { ...SUCCESS, timings })).slice(1, 3)).toEqual([
      ...['wait 500 520', 'receive 520 530'],
    ])
  })
})

describe('a request that fails', () => {
  it('has the cause of a network failure as its error type', () => {
    const timings = { startedAt: START + 500, totalMs: 7 }
    const spans = spansOf(REQUEST, {
      ...{ kind: 'network-failure', cause: 'dns-not-found', detail: 'ENOTFOUND', url: REQUEST.url, timings },
    })
    const http = spans.find(({ name }) => name === 'GET')
    expect(http?.attributes['error.type']).toBe('dns-not-found')
    expect(http?.status).toEqual({ code: SpanStatusCode.ERROR, message: 'ENOTFOUND' })
    expect(spans.at(-1)?.attributes['orbweaver.outcome']).toBe('dns-not-found')
  })

  it('has the status of an error response as its error type', () => {
    const outcome: FetchOutcome = {
      ...{ kind: 'not-found', url: REQUEST.url, timings: TIMINGS, response: { ...RESPONSE, status: 404 } },
    }
    const http = spansOf(REQUEST, outcome).find(({ name }) => name === 'GET')
    expect(http?.attributes).toMatchObject({ 'error.type': '404', 'http.response.status_code': 404 })
    expect(http?.status.code).toBe(SpanStatusCode.ERROR)
  })

  it('has no HTTP span if it could not be sent', () => {
    expect(timeline(spansOf(REQUEST, undefined)).map((line) => line.split(' ')[0])).toEqual([
      ...['queue', 'process', 'page'],
    ])
  })
})

it('does not record credentials of a URL', () => {
  const url = 'https://user:secret@a.test/'
  const spans = spansOf({ ...REQUEST, url }, { ...SUCCESS, url })
  expect(JSON.stringify(spans.map(({ attributes }) => attributes))).not.toContain('secret')
  expect(spans.at(-1)?.attributes['url.full']).toBe('https://REDACTED:REDACTED@a.test/')
})

it('names requests for robots.txt', () => {
  expect(spansOf({ ...REQUEST, purpose: 'robots' }, SUCCESS).at(-1)?.name).toBe('robots.txt')
})
