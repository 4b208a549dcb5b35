import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { InstantClock } from '../../../testing/instant-clock.ts'
import { RecordingLog } from '../../../testing/recording-log.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import { IndexUnavailable } from '../../domain/indexing/index-writer.ts'
import { type Attempt, tryPatiently } from './try-patiently.ts'

const busy = (retryAfterMs?: number): Attempt<string> => ({
  kind: 'busy',
  reason: 'it sleeps',
  ...withoutUndefined({ retryAfterMs }),
})

/** Returns the results in order, then the last one again and again. */
function script(...responses: readonly Attempt<string>[]) {
  let calls = 0
  return {
    attempt: () => {
      const response = responses[Math.min(calls++, responses.length - 1)]
      return response === undefined ? Promise.reject(new Error('no response')) : Promise.resolve(response)
    },
    get calls() {
      return calls
    },
  }
}

it('waits twice as long each time, and says so', async () => {
  const clock = new InstantClock()
  const log = new RecordingLog()
  const { attempt } = script(busy(), busy(), busy(), { kind: 'done', value: 'well' })
  expect(await tryPatiently('solr:x', { clock, log }, attempt)).toBe('well')
  expect(clock.waitsMs).toEqual([500, 1_000, 2_000])
  expect(log.messages[1]).toBe('solr:x: it sleeps; trying again in 1 s')
})

it('waits as long as the server wants, up to five minutes', async () => {
  const clock = new InstantClock()
  await tryPatiently('x', { clock }, script(busy(7_000), busy(1e9), { kind: 'done', value: '' }).attempt)
  expect(clock.waitsMs).toEqual([7_000, 300_000])
})

it('gives up after nine tries', async () => {
  const clock = new InstantClock()
  const tries = script(busy())
  const end = tryPatiently('solr:x', { clock }, tries.attempt)
  await expect(end).rejects.toThrow(new IndexUnavailable('solr:x: it sleeps'))
  expect(tries.calls).toBe(9)
})

it.each(['tries', 'waits'])('stops when it is interrupted while it %s', async (moment) => {
  const interruption = new AbortController()
  const tries = script(busy())
  const end = tryPatiently('x', { clock: new FakeClock(), signal: interruption.signal }, tries.attempt)
  if (moment === 'waits') await nextTurn()
  interruption.abort()
  await expect(end).rejects.toThrow(IndexUnavailable)
  expect(tries.calls).toBe(1)
})
