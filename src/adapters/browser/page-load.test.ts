import { beforeEach, expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { type LoadEnd, PageLoad } from './page-load.ts'

const LIMITS = { timeoutMs: 10_000, maxWaitMs: 30_000, quietMs: 500 }
let clock: FakeClock
let end: LoadEnd | undefined

beforeEach(() => {
  clock = new FakeClock()
  end = undefined
})

function begin(settle: () => Promise<unknown> = () => Promise.resolve()): PageLoad {
  const load = new PageLoad(clock, LIMITS, settle)
  void load.ended.then((ended) => {
    end = ended
  })
  return load
}

async function pass(ms: number): Promise<void> {
  clock.advance(ms)
  for (let i = 0; i < 5; i++) await Promise.resolve()
}

it('is quiet when it is loaded and has had no requests for a while', async () => {
  const load = begin()
  await pass(5_000)
  load.loaded()
  await pass(499)
  expect(end).toBeUndefined()
  await pass(1)
  expect(end).toEqual({ kind: 'quiet' })
})

it('waits for requests, and for those that follow them', async () => {
  const load = begin()
  load.loaded()
  load.requestStarted()
  await pass(2_000)
  load.requestEnded()
  await pass(400)
  load.requestStarted()
  await pass(400)
  expect(end).toBeUndefined()
  load.requestEnded()
  await pass(500)
  expect(end).toEqual({ kind: 'quiet' })
})

it('waits again if the page sends a request while it settles', async () => {
  let settled = (): void => {}
  const load = begin(
    () =>
      new Promise<void>((resolve) => {
        settled = resolve
      }),
  )
  load.loaded()
  await pass(500)
  load.requestStarted()
  settled()
  await pass(1_000)
  expect(end).toBeUndefined()
})

it('does not count the time in which requests wait, up to a limit of its own', async () => {
  const load = begin()
  load.requestStarted()
  await pass(29_999)
  expect(end).toBeUndefined()
  load.requestEnded()
  await pass(9_999)
  expect(end).toBeUndefined()
  await pass(1)
  expect(end).toEqual({ kind: 'timeout' })
})

it('ends a page that keeps requesting', async () => {
  const load = begin()
  load.loaded()
  for (let i = 0; i < 40; i++) {
    load.requestStarted()
    await pass(1_000)
    load.requestEnded()
  }
  expect(end).toEqual({ kind: 'timeout' })
})

it('keeps its first end', async () => {
  const load = begin()
  load.end({ kind: 'left', to: 'http://a.test/' })
  load.end({ kind: 'crashed' })
  await pass(60_000)
  expect(end).toEqual({ kind: 'left', to: 'http://a.test/' })
})
