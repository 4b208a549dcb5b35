import { expect, it } from 'vitest'
import { FakeClock } from '../../testing/fake-clock.ts'
import type { TargetResult } from '../flows/cycle/index-pages.ts'
import { type IndexOccasion, RoundIndexer } from './round-indexer.ts'

const RESULT: TargetResult = {
  ...{
    target: 'sqlite',
    ended: 'done',
    put: 2,
    updated: 1,
    deleted: 1,
    unindexed: { gone: 1 },
    refused: 0,
    refusals: [],
  },
}

it('indexes again after rounds that ended meanwhile, and at the end', async () => {
  const turns: Array<() => void> = []
  const indexer = new RoundIndexer(async () => {
    await new Promise<void>((resolve) => turns.push(resolve))
    return [RESULT]
  })
  indexer.roundEnded()
  indexer.roundEnded()
  indexer.roundEnded()
  expect(turns).toHaveLength(1)
  const finished = indexer.finish()
  turns[0]?.()
  await expect.poll(() => turns).toHaveLength(2)
  turns[1]?.()
  expect(await finished).toEqual([{ ...RESULT, put: 4, updated: 2, deleted: 2, unindexed: { gone: 2 } }])
  expect(turns).toHaveLength(2)
})

it('throws a failure at the end, and is idle then', async () => {
  const indexer = new RoundIndexer(async () => {
    throw new Error('no room')
  })
  indexer.roundEnded()
  await indexer.idle()
  await expect(indexer.finish()).rejects.toThrow('no room')
})

it('indexes within a round every so often, and not after the end', async () => {
  const clock = new FakeClock()
  const occasions: IndexOccasion[] = []
  const indexer = new RoundIndexer(
    async (occasion) => {
      occasions.push(occasion)
      return []
    },
    { clock, everyMs: 1_000 },
  )
  const turn = async () => {
    clock.advance(1_000)
    await new Promise(setImmediate)
  }
  await turn()
  await turn()
  indexer.roundEnded()
  await new Promise(setImmediate)
  await turn()
  expect(occasions).toEqual(['pages', 'pages', 'round', 'pages'])
  await indexer.finish()
  await turn()
  expect(occasions).toEqual(['pages', 'pages', 'round', 'pages', 'round'])
})
