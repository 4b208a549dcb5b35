import { trace } from '@opentelemetry/api'
import { BasicTracerProvider, BatchSpanProcessor, InMemorySpanExporter } from '@opentelemetry/sdk-trace-base'
import { afterEach, describe, expect, it } from 'vitest'
import { FakeClock } from '../../testing/fake-clock.ts'
import { FakeLiveCrawl } from '../../testing/fake-live-crawl.ts'
import type { CrawlEvent } from '../base/event-log.ts'
import { settingsWatchers } from './settings-watchers.ts'

const events: CrawlEvent[] = []
const log = { isOn: () => true, write: (event: CrawlEvent) => void events.push(event) }
afterEach(() => {
  events.length = 0
  trace.disable()
})

it('opens nothing by default', async () => {
  expect(await settingsWatchers({ traces: false }, log)).toEqual([])
  expect(events).toEqual([])
})

describe('metrics', () => {
  it('are served from before the start of the run until its end', async () => {
    const [watcher] = await settingsWatchers({ metrics: '0', traces: false }, log)
    const url = events[0]?.url ?? ''
    expect(events[0]?.code).toBe('METRICS_SERVED')
    expect(await (await fetch(url)).text()).not.toContain('orbweaver_up')
    await watcher?.started?.(new FakeLiveCrawl(new FakeClock()))
    expect(await (await fetch(url)).text()).toContain('orbweaver_up{crawl="crawl"} 1')
    await watcher?.ended?.()
    await expect(fetch(url)).rejects.toThrow('fetch failed')
  })

  it('cannot be served on a port in use', async () => {
    const [watcher] = await settingsWatchers({ metrics: '0', traces: false }, log)
    const { port } = new URL(events[0]?.url ?? '')
    await expect(settingsWatchers({ metrics: port, traces: false }, log)).rejects.toThrow('is in use')
    await watcher?.ended?.()
  })
})

describe('traces', () => {
  const request = {
    ...{ url: 'http://a.test/', key: 'a.test', queuedAt: 1e12, startedAt: 1e12 },
    purpose: 'page' as const,
  }

  it('are discarded with a warning if no SDK is registered', async () => {
    await settingsWatchers({ traces: true }, log)
    expect(events.map(({ code }) => code)).toEqual(['TRACES_DISCARDED'])
  })

  it('are sent at the end of the run at the latest', async () => {
    const exporter = new InMemorySpanExporter()
    trace.setGlobalTracerProvider(
      new BasicTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] }),
    )
    const [watcher] = await settingsWatchers({ traces: true }, log)
    watcher?.observer?.ended(request, undefined)
    watcher?.observer?.processed?.(request)
    await watcher?.ended?.()
    expect(exporter.getFinishedSpans().map(({ name }) => name)).toContain('page')
    expect(events).toEqual([])
  })

  it('that cannot be sent do not fail the run', async () => {
    const provider = new BasicTracerProvider()
    provider.forceFlush = () => Promise.reject(new Error('ECONNREFUSED'))
    trace.setGlobalTracerProvider(provider)
    const [watcher] = await settingsWatchers({ traces: true }, log)
    await watcher?.ended?.()
    expect(events.map(({ message }) => message)).toEqual([
      'the last spans could not be sent: Error: ECONNREFUSED',
    ])
  })
})
