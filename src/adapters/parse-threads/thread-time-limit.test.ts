import { beforeEach, expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { limitThreadTime, type ThreadTimeLimit } from './thread-time-limit.ts'

let clock: FakeClock
/** `'silent'`: the thread does not tell. */
let used: Awaited<ReturnType<ThreadTimeLimit['cpuMs']>> | 'silent'
let isExceeded: boolean
let end: () => void

beforeEach(() => {
  clock = new FakeClock()
  used = 0
  isExceeded = false
  end = limitThreadTime({
    clock,
    limitMs: 30_000,
    cpuMs: () => (used === 'silent' ? new Promise(() => {}) : Promise.resolve(used)),
    onExceeded() {
      isExceeded = true
    },
  })
})

/** Whether the limit is exceeded after 30 more seconds, with this CPU time in all. */
async function exceededAfter(cpuMs: typeof used): Promise<boolean> {
  used = cpuMs
  clock.advance(30_000)
  await Promise.resolve()
  await Promise.resolve()
  return isExceeded
}

it('waits for a thread that gets little of a busy machine, until its CPU time is used up', async () => {
  expect(await exceededAfter(1_500)).toBe(false)
  expect(await exceededAfter(3_000)).toBe(false)
  expect(await exceededAfter(29_999)).toBe(false)
  expect(await exceededAfter(30_200)).toBe(true)
})

it('does not wait for a thread that does nothing', async () => {
  expect(await exceededAfter(1_500)).toBe(false)
  expect(await exceededAfter(1_501)).toBe(true)
})

it('waits for a thread that is starting', async () => {
  expect(await exceededAfter('starting')).toBe(false)
  expect(await exceededAfter('starting')).toBe(false)
})

it('does not wait for a thread that does not tell its time', async () => {
  expect(await exceededAfter('silent')).toBe(false)
  expect(await exceededAfter('silent')).toBe(true)
})

it('limits wall time where CPU time cannot be measured', async () => {
  expect(await exceededAfter(undefined)).toBe(true)
})

it('does nothing after its end', async () => {
  end()
  expect(await exceededAfter(undefined)).toBe(false)
})
