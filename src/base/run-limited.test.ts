import { expect, it } from 'vitest'
import { runLimited } from './run-limited.ts'

it('works on all items, at most `limit` at a time', async () => {
  const done: number[] = []
  let running = 0
  let most = 0
  await runLimited([1, 2, 3, 4, 5], 2, async (item) => {
    most = Math.max(most, ++running)
    await Promise.resolve()
    running--
    done.push(item)
  })
  expect(done.sort()).toEqual([1, 2, 3, 4, 5])
  expect(most).toBe(2)
})

it('begins no more after a failure, and waits for those that run', async () => {
  const begun: number[] = []
  const ended: number[] = []
  const run = runLimited([1, 2, 3, 4], 2, async (item) => {
    begun.push(item)
    if (item === 1) throw new Error('one')
    await Promise.resolve()
    ended.push(item)
  })
  await expect(run).rejects.toThrow('one')
  expect(begun).toEqual([1, 2])
  expect(ended).toEqual([2])
})
