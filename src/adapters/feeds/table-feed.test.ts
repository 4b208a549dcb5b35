import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ArrayItemLog } from '../../../testing/array-item-log.ts'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { itemsToParquet } from '../duckdb/items-to-parquet.ts'
import { openObjectStore } from '../object-store/open-object-store.ts'
import type { FeedTarget } from './feed-target.ts'
import { ItemFeeds } from './item-feeds.ts'

let directory: string
let log: ArrayItemLog
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'orbweaver-table-'))
  log = new ArrayItemLog()
})
afterEach(() => rm(directory, { recursive: true }))

it('writes a table at the end, and all of it again when there is more', async () => {
  const feeds = await open(at('items.parquet'))
  log.add({ a: 1 }, { a: 2 })
  await feeds.follow()
  expect(existsSync(at('items.parquet'))).toBe(false)
  await feeds.close()
  expect(await rows('items.parquet')).toEqual([{ a: '1' }, { a: '2' }])
  log.add({ a: 3, b: 'new' })
  await (await open(at('items.parquet'))).close()
  expect(await rows('items.parquet')).toEqual([
    { a: '1', b: null },
    { a: '2', b: null },
    { a: '3', b: 'new' },
  ])
})

it('writes at the next clean end what an interrupted one left', async () => {
  log.add({ a: 1 })
  await (await open(at('items.parquet'))).follow()
  log.add({ a: 2 })
  await (await open(at('items.parquet'))).close()
  expect(await rows('items.parquet')).toHaveLength(2)
})

it('does not write again what has not changed, and writes again what is gone', async () => {
  log.add({ a: 1 })
  await (await open(at('items.parquet'))).close()
  let written = 0
  const count: typeof itemsToParquet = (file, pages) => {
    written++
    return itemsToParquet(file, pages)
  }
  await (await open(at('items.parquet'), count)).close()
  expect(written).toBe(0)
  await rm(at('items.parquet'))
  await (await open(at('items.parquet'), count)).close()
  expect(await rows('items.parquet')).toEqual([{ a: '1' }])
})

it('writes each batch when it is full, over restarts', async () => {
  const target = { path: at('items-{batch}.parquet'), batchSize: 2 }
  const feeds = await open(target)
  log.add({ a: 1 }, { a: 2 }, { a: 3 })
  await feeds.follow()
  expect(await readdir(directory)).toEqual(['feeds.json', 'items-00001.parquet'])
  log.add({ a: 4 }, { a: 5 })
  await (await open(target)).close()
  expect(await rows('items-00001.parquet')).toEqual([{ a: '1' }, { a: '2' }])
  expect(await rows('items-00002.parquet')).toEqual([{ a: '3' }, { a: '4' }])
  expect(await rows('items-00003.parquet')).toEqual([{ a: '5' }])
})

it('has the configured fields', async () => {
  log.add({ a: 1, b: 2 })
  await (await open({ path: at('items.parquet'), fields: ['b', 'none'] })).close()
  expect(await rows('items.parquet')).toEqual([{ b: '2', none: null }])
})

it('writes nothing when there is nothing', async () => {
  expect(await (await open(at('items.parquet'))).close()).toEqual([{ target: at('items.parquet') }])
  expect(existsSync(at('items.parquet'))).toBe(false)
})

it('keeps the table of before when a new one fails', async () => {
  log.add({ a: 1 })
  await (await open(at('items.parquet'))).close()
  const before = readFileSync(at('items.parquet'))
  log.add({ a: 2 })
  const [result] = await (await open(at('items.parquet'), () => Promise.reject(new Error('no room')))).close()
  expect(result?.error?.message).toBe('no room')
  expect(readFileSync(at('items.parquet'))).toEqual(before)
  await (await open(at('items.parquet'))).close()
  expect(await rows('items.parquet')).toHaveLength(2)
})

function open(target: FeedTarget, writeTable = itemsToParquet): Promise<ItemFeeds> {
  return ItemFeeds.open(log, [target], {
    directory,
    clock: new FakeClock(),
    output: async () => {},
    writeTable,
    openStore: openObjectStore,
  })
}

async function rows(name: string): Promise<unknown[]> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  try {
    return (await connection.runAndReadAll(`FROM '${at(name)}'`)).getRowObjectsJson()
  } finally {
    connection.disconnectSync()
    instance.closeSync()
  }
}

function at(name: string): string {
  return join(directory, name)
}
