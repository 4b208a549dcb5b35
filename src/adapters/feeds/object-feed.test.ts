import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ArrayItemLog } from '../../../testing/array-item-log.ts'
import { endlessItemLog, itemAt } from '../../../testing/endless-item-log.ts'
import { killExport } from '../../../testing/killed-export.ts'
import { until } from '../../../testing/prometheus-server.ts'
import { QuickClock } from '../../../testing/quick-clock.ts'
import { requireS3Server } from '../../../testing/require-s3-server.ts'
import { type S3Server, startS3Server } from '../../../testing/s3-server.ts'
import type { JsonObject } from '../../base/json.ts'
import type { ItemLog } from '../../domain/frontier/item-log.ts'
import { itemsToParquet } from '../duckdb/items-to-parquet.ts'
import { openObjectStore } from '../object-store/open-object-store.ts'
import type { FeedNotice } from './feed.ts'
import type { FeedTarget } from './feed-target.ts'
import { ItemFeeds } from './item-feeds.ts'
import type { OpenFeedsOptions } from './open-feeds.ts'

describe.runIf(requireS3Server())('feeds in an object store', () => {
  let server: S3Server
  let crawl: string
  let bucketFolder: string
  let log: ArrayItemLog
  let notices: FeedNotice[]
  let tests = 0
  beforeAll(async () => {
    server = await startS3Server()
  })
  afterAll(() => server.stop())
  beforeEach(async () => {
    crawl = await mkdtemp(join(tmpdir(), 'orbweaver-object-feed-'))
    bucketFolder = `t${++tests}`
    log = new ArrayItemLog()
    notices = []
    return () => rm(crawl, { recursive: true })
  })

  it('puts each format when it is complete, and again after the next run', async () => {
    const targets = ['a.jsonl', 'a.json', 'a.csv', 'a.parquet'].map(url)
    const feeds = await open(targets)
    log.add({ a: 1 })
    await feeds.follow()
    expect(objects()).toEqual([])
    expect(await feeds.close()).toEqual(targets.map((target) => ({ target })))
    expect(objects()).toEqual(['a.csv', 'a.json', 'a.jsonl', 'a.parquet'])
    log.add({ a: 2 })
    await (await open(targets)).close()
    expect(read('a.jsonl')).toBe('{"a":1}\n{"a":2}\n')
    expect(JSON.parse(read('a.json'))).toEqual([{ a: 1 }, { a: 2 }])
    expect(read('a.csv')).toBe('a\r\n1\r\n2\r\n')
    expect(notices).toEqual([])
  })

  it('puts a batch while the crawl continues, and removes the local file', async () => {
    const feeds = await open([{ path: url('b-{batch}.jsonl'), batchSize: 2 }])
    log.add({ n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }, { n: 5 })
    await feeds.follow()
    await until(async () => objects().length === 2, 'two batches are put')
    log.add({ n: 6 }, { n: 7 })
    await feeds.close()
    expect(objects()).toEqual([1, 2, 3, 4].map((n) => `b-0000${n}.jsonl`))
    expect(objects().flatMap((name) => items(name))).toEqual([1, 2, 3, 4, 5, 6, 7].map((n) => ({ n })))
    expect(readdirSync(join(crawl, 'exports', 'crawls', bucketFolder))).toEqual([])
  })

  it('names the objects of each run after its start, and those of a resumed run after the first', async () => {
    const target = url('items-{time}.jsonl')
    log.add({ n: 1 })
    await (await open([target])).close()
    log.add({ n: 2 })
    // Not closed: as if killed.
    await (await open([target])).follow()
    log.add({ n: 3 })
    await (await open([target])).close()
    // Without new items there is no object.
    await (await open([target])).close()
    const names = objects()
    expect(names).toHaveLength(2)
    for (const name of names) expect(name).toMatch(/^items-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z\.jsonl$/)
    expect(names.map(items)).toEqual([[{ n: 1 }], [{ n: 2 }, { n: 3 }]])
  })

  it('has every item once, however often the process is killed', async () => {
    const targets = [url('items.csv'), url('k-{batch}.jsonl')]
    let furthest = 0
    const args = [crawl, '1000000', '400', '0', ...targets]
    for (let i = 0; i < 3; i++) furthest = await killExport(furthest + 15_000 + 777 * i, args, server.env)
    const last = 80_000
    const feeds = await open(
      targets,
      endlessItemLog(() => last),
    )
    expect((await feeds.close()).filter(({ error }) => error !== undefined)).toEqual([])
    const expected = Array.from({ length: last }, (_, i) => itemAt(i + 1))
    const batches = objects().filter((name) => name.startsWith('k-'))
    expect(batches).toHaveLength(8)
    expect(batches.flatMap(items)).toEqual(expected)
    expect(read('items.csv').trimEnd().split('\r\n')).toHaveLength(last + 1)
  })

  it('keeps items while the store is away, and the next run puts them', async () => {
    const target = { path: url('c-{batch}.jsonl'), batchSize: 2 }
    const feeds = await open([target])
    await server.kill()
    try {
      log.add({ n: 1 }, { n: 2 }, { n: 3 })
      await feeds.follow()
      const [result] = await feeds.close()
      expect(result?.error).toMatchObject({ code: 'OBJECT_STORE_UNAVAILABLE' })
      expect(notices).toMatchObject([{ kind: 'failed', target: target.path }])
    } finally {
      await server.restart()
    }
    expect(objects()).toEqual([])
    log.add({ n: 4 })
    await (await open([target])).close()
    expect(objects().map(items)).toEqual([[{ n: 1 }, { n: 2 }], [{ n: 3 }], [{ n: 4 }]])
  })

  it('refuses an object that is not its own, unless it may be replaced', async () => {
    mkdirSync(join(server.folder, bucketFolder))
    writeFileSync(join(server.folder, bucketFolder, 'a.jsonl'), 'of another')
    log.add({ n: 1 })
    await expect(open([url('a.jsonl')])).rejects.toMatchObject({
      code: 'EXPORT_INVALID',
      message: expect.stringContaining('a.jsonl is there, and this crawl has not written it'),
    })
    await (await open([{ path: url('a.jsonl'), overwrite: true }])).close()
    expect(items('a.jsonl')).toEqual([{ n: 1 }])
  })

  it('removes the batches of an earlier crawl that it replaces', async () => {
    mkdirSync(join(server.folder, bucketFolder))
    for (const name of ['b-00001.jsonl', 'b-00009.jsonl', 'b-other.jsonl'])
      writeFileSync(join(server.folder, bucketFolder, name), 'old')
    log.add({ n: 1 })
    await (await open([url('b-{batch}.jsonl')], log, { directory: undefined })).close()
    expect(objects()).toEqual(['b-00001.jsonl', 'b-other.jsonl'])
    expect(items('b-00001.jsonl')).toEqual([{ n: 1 }])
  })

  it('reports a wrong bucket before the crawl starts', async () => {
    await expect(open(['s3://no-such-bucket/a.jsonl'])).rejects.toMatchObject({
      code: 'OBJECT_STORE_REFUSED',
      reason: 'bucket-missing',
    })
  })

  it('says which complete file is lost', async () => {
    const target = { path: url('c-{batch}.jsonl'), batchSize: 1 }
    const feeds = await open([target])
    await server.kill()
    log.add({ n: 1 })
    await feeds.close()
    await server.restart()
    await rm(join(crawl, 'exports'), { recursive: true })
    const [result] = await (await open([target])).close()
    expect(result?.error?.message).toMatch(/c-00001\.jsonl is gone.*remove feeds\.json/)
  })

  function open(
    targets: readonly FeedTarget[],
    items: ItemLog = log,
    options: Partial<OpenFeedsOptions> = {},
  ): Promise<ItemFeeds> {
    return ItemFeeds.open(items, targets, {
      directory: crawl,
      clock: new QuickClock(),
      output: async () => {},
      writeTable: itemsToParquet,
      openStore: (place) => openObjectStore(place, {}, { env: server.env, clock: new QuickClock() }),
      onNotice: (notice) => notices.push(notice),
      ...options,
    })
  }

  function url(name: string): string {
    return `s3://crawls/${bucketFolder}/${name}`
  }

  function objects(): string[] {
    const folder = join(server.folder, bucketFolder)
    return existsSync(folder) ? readdirSync(folder).sort() : []
  }

  function read(name: string): string {
    return readFileSync(join(server.folder, bucketFolder, name), 'utf8')
  }

  function items(name: string): JsonObject[] {
    return read(name)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as JsonObject)
  }
})
