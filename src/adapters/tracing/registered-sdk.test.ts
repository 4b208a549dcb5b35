import { createRequire } from 'node:module'
import { trace } from '@opentelemetry/api'
import { BasicTracerProvider, BatchSpanProcessor, InMemorySpanExporter } from '@opentelemetry/sdk-trace-base'
import { afterEach, expect, it } from 'vitest'
import type { ObservedRequest } from '../../domain/fetch/request-observer.ts'
import { createRequestTracer, flushSpans, isSdkRegistered } from './registered-sdk.ts'

afterEach(() => trace.disable())

it('recognizes a registered SDK', () => {
  expect(isSdkRegistered()).toBe(false)
  trace.setGlobalTracerProvider(new BasicTracerProvider())
  expect(isSdkRegistered()).toBe(true)
})

it('flushes the spans that the SDK has collected', async () => {
  const exporter = new InMemorySpanExporter()
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] }),
  )
  const tracer = createRequestTracer()
  const request: ObservedRequest = {
    ...{ url: 'http://a.test/', key: 'a.test', purpose: 'page', queuedAt: 1e12, startedAt: 1e12 },
  }
  tracer.ended(request, undefined)
  tracer.processed(request)
  expect(exporter.getFinishedSpans()).toEqual([])
  await flushSpans()
  expect(exporter.getFinishedSpans().map(({ name }) => name)).toEqual(['queue', 'process', 'page'])
})

it('flushes nothing without an SDK', async () => {
  await expect(flushSpans()).resolves.toBeUndefined()
})

it('flushes an SDK that was registered through another copy of the API', async () => {
  const require = createRequire(import.meta.url)
  const file = require.resolve('@opentelemetry/api')
  const ours = Object.entries(require.cache).filter(([name]) => name.includes('@opentelemetry/api/'))
  for (const [name] of ours) delete require.cache[name]
  const copy = require(file) as typeof import('@opentelemetry/api')
  expect(copy.trace).not.toBe(trace)
  const provider = new BasicTracerProvider()
  let flushes = 0
  provider.forceFlush = async () => void flushes++
  copy.trace.setGlobalTracerProvider(provider)
  expect(isSdkRegistered()).toBe(true)
  await flushSpans()
  copy.trace.disable()
  expect(flushes).toBe(1)
})
