import { expect, it } from 'vitest'
import type { TargetResult } from '../flows/cycle/index-pages.ts'
import { RoundIndexer } from './round-indexer.ts'

const RESULT: TargetResult = {
  ...{
    target: 'sqlite',
    ended: 'done',
    put: 2,
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
  expect(await finished).toEqual([{ ...RESULT, put: 4, deleted: 2, unindexed: { gone: 2 } }])
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
