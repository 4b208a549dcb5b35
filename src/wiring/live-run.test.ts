import { describe, expect, it } from 'vitest'
import { FakeClock } from '../../testing/fake-clock.ts'
import type { LiveCrawl } from '../domain/live/live-crawl.ts'
import type { LiveAction, LiveReport } from '../domain/live/live-report.ts'
import type { ReportSource } from '../domain/live/report-source.ts'
import { HostQueues } from '../domain/politeness/host-queues.ts'
import { type LiveRun, withLiveRun } from './live-run.ts'
import type { RunWatcher } from './run-watcher.ts'

/** Runs `work` with a run and its view from outside. */
function watched(
  work: (run: LiveRun, live: LiveCrawl) => Promise<void>,
  { watchers = [], signal }: { watchers?: RunWatcher[]; signal?: AbortSignal } = {},
): Promise<void> {
  let seen: LiveCrawl | undefined
  const first: RunWatcher = {
    started(live) {
      seen = live
    },
  }
  const clock = new FakeClock()
  const options = { kind: 'cycle', name: 'dir', command: 'crawl', signal, clock } as const
  return withLiveRun({ ...options, watchers: [first, ...watchers] }, (run) => work(run, seen as LiveCrawl))
}

function sourceWith(queues = new HostQueues<string>(new FakeClock(), { delayMs: 1_000 })) {
  const fetcher = {
    ...{ active: 2, queued: 0, isPaused: false },
    counts: () => queues.counts(),
    host: (key: string) => queues.describe(key),
    setOperatorDelay: (key: string, ms: number | undefined) => void queues.setOperatorDelay(key, ms),
    pause() {
      fetcher.isPaused = true
    },
    unpause() {
      fetcher.isPaused = false
    },
  }
  const source = { fetcher, robots: { failed: 0 }, pages: 0, retries: 0 }
  return { queues, fetcher, source: source as unknown as ReportSource }
}

describe('the watchers', () => {
  it('are told of the start and of the end, also if one of them fails', async () => {
    const told: string[] = []
    const failing: RunWatcher = {
      started: () => void told.push('started'),
      ended: () => {
        told.push('ended')
        throw new Error('disk full')
      },
    }
    const other: RunWatcher = { ended: () => void told.push('other ended') }
    const run = watched(async () => void told.push('work'), { watchers: [failing, other] })
    await expect(run).rejects.toThrow('disk full')
    expect(told).toEqual(['started', 'work', 'ended', 'other ended'])
  })

  it('do not hide the error of the run', async () => {
    let ended = 0
    const failing: RunWatcher = {
      ended() {
        ended++
        throw new Error('disk full')
      },
    }
    const run = watched(() => Promise.reject(new Error('no database')), { watchers: [failing] })
    await expect(run).rejects.toThrow('no database')
    expect(ended).toBe(1)
  })

  it('end the run if one cannot start; those before it are told of the end', async () => {
    const told: string[] = []
    const before: RunWatcher = { ended: () => void told.push('ended') }
    const failing: RunWatcher = { started: () => Promise.reject(new Error('port in use')) }
    const after: RunWatcher = { ended: () => void told.push('never started') }
    const run = watched(async () => void told.push('work'), { watchers: [before, failing, after] })
    await expect(run).rejects.toThrow('port in use')
    expect(told).toEqual(['ended'])
  })
})

describe('an action', () => {
  const stateOf = async (live: LiveCrawl): Promise<LiveReport['state']> => (await live.report()).state

  it('pauses and resumes the source, also one that is attached later', async () => {
    await watched(async (run, live) => {
      const early = await live.act({ action: 'pause' })
      expect(early).toEqual({ ok: true, message: 'the crawl is paused' })
      const { source, fetcher } = sourceWith()
      run.attach(source)
      expect([fetcher.isPaused, await stateOf(live)]).toEqual([true, 'paused'])
      expect(await live.act({ action: 'pause' })).toMatchObject({ message: 'the crawl is already paused' })
      await live.act({ action: 'resume' })
      expect([fetcher.isPaused, await stateOf(live)]).toEqual([false, 'running'])
      expect(await live.act({ action: 'pause' })).toMatchObject({
        message: 'the crawl is paused; 2 requests in flight are finished',
      })
    })
  })

  it('stops the run as its signal does', async () => {
    const outside = new AbortController()
    const work = async (run: LiveRun, live: LiveCrawl) => {
      expect(run.signal.aborted).toBe(false)
      await live.act({ action: 'stop' })
      expect([run.signal.aborted, outside.signal.aborted, await stateOf(live)]).toEqual([
        true,
        false,
        'stopping',
      ])
    }
    await watched(work, { signal: outside.signal })
  })

  it('sets the delay of a host for all sources, and says what the host demands', async () => {
    await watched(async (run, live) => {
      const first = sourceWith()
      run.attach(first.source)
      first.queues.setCrawlDelay('slow.test', 10_000)
      const set = (host: string, delayMs: number | null) => live.act({ action: 'set-delay', host, delayMs })
      expect(await set('A.test', 2_500)).toEqual({ ok: true, message: 'the delay of a.test is 2.5 s' })
      expect(await set('slow.test', 2_000)).toEqual({
        ok: true,
        message: 'the delay of slow.test is set to 2 s; the host demands 10 s (robots), which stays in force',
      })
      const second = sourceWith()
      run.attach(second.source)
      expect(second.queues.describe('a.test').delay).toEqual({ delayMs: 2_500, setBy: 'operator' })
      expect(await set('a.test', null)).toEqual({ ok: true, message: 'the delay of a.test is 1 s' })
      expect(second.queues.describe('a.test').delay).toEqual({ delayMs: 1_000, setBy: 'config' })
      for (const wrong of [-1, Number.NaN, 86_400_001])
        expect(await set('a.test', wrong)).toMatchObject({
          ok: false,
          message: expect.stringContaining('between 0 and 86400 seconds'),
        })
    })
  })

  it('applies the delays of a fleet to all sources, and restores hosts that are no longer among them', async () => {
    await watched(async (run) => {
      const [first, second] = [sourceWith(), sourceWith()]
      run.replaceDelays(new Map([['a.test', 4_000]]))
      run.attach(first.source)
      const delayOf = ({ queues }: typeof first, host: string) => queues.describe(host).delay
      expect(delayOf(first, 'a.test')).toEqual({ delayMs: 4_000, setBy: 'operator' })
      run.replaceDelays(new Map([['b.test', 0]]))
      expect(delayOf(first, 'a.test')).toEqual({ delayMs: 1_000, setBy: 'config' })
      expect(delayOf(first, 'b.test')).toEqual({ delayMs: 0, setBy: 'operator' })
      run.attach(second.source)
      expect(delayOf(second, 'a.test')).toEqual({ delayMs: 1_000, setBy: 'config' })
      expect(delayOf(second, 'b.test')).toEqual({ delayMs: 0, setBy: 'operator' })
    })
  })

  it('is refused if the crawl does not have it, or has ended', async () => {
    let ended: LiveCrawl | undefined
    await watched(async (_, live) => {
      ended = live
      expect((await live.report()).actions).toEqual(['pause', 'resume', 'stop', 'set-delay'])
      expect(await live.act({ action: 'retry-failed' })).toEqual({
        ok: false,
        message: 'this crawl has no action retry-failed; it has pause, resume, stop, set-delay',
      })
      expect(await live.act({ action: 'nonsense' } as unknown as LiveAction)).toMatchObject({ ok: false })
      expect(await live.act({ action: 'toString' } as unknown as LiveAction)).toMatchObject({ ok: false })
    })
    expect(await ended?.act({ action: 'stop' })).toEqual({ ok: false, message: 'the crawl has ended' })
  })
})
