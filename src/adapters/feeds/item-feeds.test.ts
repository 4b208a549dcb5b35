import { existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ArrayItemLog } from '../../../testing/array-item-log.ts'
import { FakeClock } from '../../../testing/fake-clock.ts'
import type { LoggedItem } from '../../domain/frontier/item-log.ts'
import { itemsToParquet } from '../duckdb/items-to-parquet.ts'
import { openObjectStore } from '../object-store/open-object-store.ts'
import type { FeedNotice } from './feed.ts'
import type { FeedTarget } from './feed-target.ts'
import { ItemFeeds } from './item-feeds.ts'
import type { OpenFeedsOptions } from './open-feeds.ts'
import { streamOutput } from './output-feed.ts'

let directory: string
let crawl: string
let log: ArrayItemLog
let clock: FakeClock
let notices: FeedNotice[]

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'orbweaver-feeds-'))
  crawl = join(directory, 'crawl')
  await mkdir(crawl)
  log = new ArrayItemLog()
  clock = new FakeClock()
  notices = []
})
afterEach(() => rm(directory, { recursive: true }))

it('writes each format, several at once', async () => {
  const feeds = await open([at('a.jsonl'), at('a.json'), at('a.csv')])
  log.add({ a: 1, b: 'é' })
  await feeds.follow()
  log.add({ a: 2, b: 'x,y' })
  expect(await feeds.close()).toEqual([
    { target: at('a.jsonl') },
    { target: at('a.json') },
    { target: at('a.csv') },
  ])
  expect(read('a.jsonl')).toBe('{"a":1,"b":"é"}\n{"a":2,"b":"x,y"}\n')
  expect(read('a.json')).toBe('[\n{"a":1,"b":"é"},\n{"a":2,"b":"x,y"}\n]\n')
  expect(read('a.csv')).toBe('a,b\r\n1,é\r\n2,"x,y"\r\n')
})

it('resumes each target where it was', async () => {
  log.add({ a: 1 })
  await run([at('a.json')])
  log.add({ a: 2 })
  await run([at('a.json'), at('b.jsonl')])
  expect(JSON.parse(read('a.json'))).toEqual([{ a: 1 }, { a: 2 }])
  expect(read('b.jsonl')).toBe('{"a":1}\n{"a":2}\n')
  await run([at('a.json')])
  expect(JSON.parse(read('a.json'))).toEqual([{ a: 1 }, { a: 2 }])
  expect(notices).toEqual([])
})

it('leaves files that are valid when there was no item, and none of rejections', async () => {
  await run([at('a.jsonl'), at('a.json'), { path: at('a.csv'), fields: ['x', 'y'] }, rejections()])
  expect(read('a.jsonl')).toBe('')
  expect(JSON.parse(read('a.json'))).toEqual([])
  expect(read('a.csv')).toBe('x,y\r\n')
  expect(existsSync(at('items.rejected.jsonl'))).toBe(false)
  log.add({ x: 1 })
  await run([at('a.json'), { path: at('a.csv'), fields: ['x', 'y'] }])
  expect(JSON.parse(read('a.json'))).toEqual([{ x: 1 }])
  expect(read('a.csv')).toBe('x,y\r\n1,\r\n')
})

it('writes the rejected with their reason', async () => {
  log.add({ fine: 1 })
  log.reject({ price: 'none' }, 'price: expected number')
  await run([at('a.jsonl'), rejections()])
  expect(read('a.jsonl')).toBe('{"fine":1}\n')
  expect(read('items.rejected.jsonl')).toBe(
    '{"reason":"price: expected number","url":"http://a.test/","item":{"price":"none"}}\n',
  )
})

it('gives CSV a column for every field, also for those that turn up late', async () => {
  const feeds = await open([at('a.csv'), at('a.jsonl')])
  log.add({ a: 1 }, { a: 2 })
  await feeds.follow()
  log.add({ b: [3], a: 3 })
  await feeds.close()
  expect(read('a.csv')).toBe('a,b\r\n1,\r\n2,\r\n3,[3]\r\n')
  log.add({ c: 4 })
  await run([at('a.csv'), at('a.jsonl')])
  expect(read('a.csv')).toBe('a,b,c\r\n1,,\r\n2,,\r\n3,[3],\r\n,,4\r\n')
  expect(read('a.jsonl').trim().split('\n')).toHaveLength(4)
})

it('remembers that a CSV file counts for nothing before it writes it anew', async () => {
  const seen: [position: number, rememberedBytes: number, file: string][] = []
  const items = log.items.bind(log)
  log.items = async (position, limit) => {
    const { feeds } = JSON.parse(readFileSync(join(crawl, 'feeds.json'), 'utf8'))
    seen.push([position, feeds[at('a.csv')].bytes, existsSync(at('a.csv')) ? read('a.csv') : ''])
    return items(position, limit)
  }
  const feeds = await open([at('a.csv')])
  log.add({ a: 1 })
  await feeds.follow()
  log.add({ b: 2 })
  await feeds.follow()
  expect(seen).toEqual([
    [0, 0, ''],
    [1, 6, 'a\r\n1\r\n'],
    [1, 6, 'a\r\n1\r\n'],
    [0, 0, 'a\r\n1\r\n'],
    [2, 13, 'a,b\r\n1,\r\n,2\r\n'],
  ])
})

it('puts the fields of the schema first, and takes those that were named and no others', async () => {
  log.add({ extra: 1, title: 't' })
  await run([at('a.csv'), { path: at('b.csv'), fields: ['none', 'title'] }], {
    schemaFields: ['title', 'price'],
  })
  expect(read('a.csv')).toBe('title,price,extra\r\nt,,1\r\n')
  expect(read('b.csv')).toBe('none,title\r\n,t\r\n')
})

it('gives up on CSV when fields are data', async () => {
  log.add(Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [`sku-${i}`, i])))
  const results = await run([at('a.csv'), at('a.jsonl')])
  expect(results[0]?.error?.message).toContain('more than 1000 different fields')
  expect(results[1]).toEqual({ target: at('a.jsonl') })
})

it('starts a file for every batch, and continues counting after restarts', async () => {
  const target = { path: at('items-{batch}.json'), batchSize: 2 }
  const feeds = await open([target])
  log.add({ a: 1 }, { a: 2 }, { a: 3 })
  await feeds.follow()
  expect(JSON.parse(read('items-00001.json'))).toEqual([{ a: 1 }, { a: 2 }])
  // The process dies here; the next one fills its batch.
  log.add({ a: 4 }, { a: 5 })
  await run([target])
  log.add({ a: 6 })
  await run([target])
  expect((await readdir(directory)).sort()).toEqual([
    'crawl',
    ...[1, 2, 3, 4].map((n) => `items-0000${n}.json`),
  ])
  expect([1, 2, 3, 4].map((n) => JSON.parse(read(`items-0000${n}.json`)))).toEqual([
    [{ a: 1 }, { a: 2 }],
    [{ a: 3 }, { a: 4 }],
    [{ a: 5 }],
    [{ a: 6 }],
  ])
})

it('writes a file anew that is gone or shorter than it was, and says so', async () => {
  log.add({ a: 1 }, { a: 2 })
  await run([at('a.jsonl'), at('b.jsonl')])
  await rm(at('a.jsonl'))
  truncateSync(at('b.jsonl'), 5)
  await run([at('a.jsonl'), at('b.jsonl')])
  expect(read('a.jsonl')).toBe('{"a":1}\n{"a":2}\n')
  expect(read('b.jsonl')).toBe('{"a":1}\n{"a":2}\n')
  expect(notices.map(({ kind, message }) => [kind, message])).toEqual([
    ['written-anew', `${at('a.jsonl')}: it is gone; it is written anew`],
    ['written-anew', `${at('b.jsonl')}: it has 5 bytes, not 16; it is written anew`],
  ])
})

it('writes a file anew when its format or its fields are others', async () => {
  log.add({ a: 1, b: 2 })
  await run([`${at('a.txt')}:json`, { path: at('b.jsonl'), fields: ['a'] }])
  await run([`${at('a.txt')}:jsonl`, at('b.jsonl')])
  expect(read('a.txt')).toBe('{"a":1,"b":2}\n')
  expect(read('b.jsonl')).toBe('{"a":1,"b":2}\n')
  expect(notices.map(({ kind }) => kind)).toEqual(['written-anew', 'written-anew'])
})

it('does not touch a file that this crawl has not written, unless it may', async () => {
  writeFileSync(at('a.jsonl'), 'precious')
  writeFileSync(at('b-00007.jsonl'), 'precious')
  log.add({ a: 1 })
  await expect(open([at('a.jsonl')])).rejects.toThrow('this crawl has not written it')
  await expect(open([at('b-{batch}.jsonl')])).rejects.toThrow('b-00007.jsonl is there')
  expect(read('a.jsonl')).toBe('precious')
  await run([
    { path: at('a.jsonl'), overwrite: true },
    { path: at('b-{batch}.jsonl'), overwrite: true },
  ])
  expect(read('a.jsonl')).toBe('{"a":1}\n')
  expect(existsSync(at('b-00007.jsonl'))).toBe(false)
})

it('writes targets anew without a crawl directory', async () => {
  log.add({ a: 1 })
  await run([at('a.jsonl'), at('b-{batch}.jsonl')], { directory: undefined })
  await run([at('a.jsonl'), at('b-{batch}.jsonl')], { directory: undefined })
  expect(read('a.jsonl')).toBe('{"a":1}\n')
  expect(read('b-00001.jsonl')).toBe('{"a":1}\n')
  expect(existsSync(join(crawl, 'feeds.json'))).toBe(false)
})

it('finds its exports again after the crawl directory was moved', async () => {
  log.add({ a: 1 })
  await run([join(crawl, 'items.jsonl')])
  log.add({ a: 2 })
  const moved = at('moved')
  await rename(crawl, moved)
  await run([join(moved, 'items.jsonl')], { directory: moved })
  expect(read('moved/items.jsonl')).toBe('{"a":1}\n{"a":2}\n')
  expect(notices).toEqual([])
})

it.each<[string, () => FeedTarget[] | Promise<FeedTarget[]>, string]>([
  ['a directory', () => [`${crawl}:jsonl`], 'is a directory: name a file in it'],
  ['two feeds to one file', () => [at('a.jsonl'), at('x/../a.jsonl')], 'two exports go to'],
  ['two feeds to the standard output', () => ['-', '-:csv'], 'two exports go to the standard output'],
  ['a device', () => ['/dev/null:jsonl'], 'is not a regular file; for the standard output give -'],
  [
    'a file for a directory',
    () => {
      writeFileSync(at('file'), '')
      return [at('file/a.jsonl')]
    },
    'cannot write',
  ],
  [
    'two names of one file',
    async () => {
      await symlink(crawl, at('link'))
      return [join(crawl, 'a.jsonl'), at('link/a.jsonl')]
    },
    'two exports go to',
  ],
])('refuses %s', async (_, targets, message) => {
  await expect(open(await targets())).rejects.toMatchObject({
    code: 'EXPORT_INVALID',
    message: expect.stringContaining(message),
  })
})

it('refuses a feeds.json that it did not write', async () => {
  writeFileSync(join(crawl, 'feeds.json'), '{"version":')
  await expect(open([at('a.jsonl')])).rejects.toThrow('remove it to have the exports written anew')
})

it('makes directories', async () => {
  log.add({ a: 1 })
  await run([at('deep/er/a.jsonl')])
  expect(read('deep/er/a.jsonl')).toBe('{"a":1}\n')
})

it('hands items to a writer until it takes them, and others do not wait for it', async () => {
  const taken: LoggedItem[] = []
  let works = false
  const writer = {
    name: 'shop database',
    batchSize: 2,
    write: async (items: readonly LoggedItem[]) => {
      if (!works) throw new Error('connection refused')
      taken.push(...items)
    },
  }
  const feeds = await open([writer, at('a.jsonl')])
  log.add({ a: 1 }, { a: 2 }, { a: 3 })
  await feeds.follow()
  await feeds.follow()
  expect(read('a.jsonl').trim().split('\n')).toHaveLength(3)
  works = true
  await feeds.follow()
  expect(taken).toEqual([])
  clock.advance(10_000)
  await feeds.follow()
  expect(taken.map(({ position }) => position)).toEqual([1, 2, 3])
  expect(notices.map(({ kind, target }) => [kind, target])).toEqual([
    ['failed', 'shop database'],
    ['recovered', 'shop database'],
  ])
  log.add({ a: 4 })
  await run([writer])
  expect(taken.map(({ position }) => position)).toEqual([1, 2, 3, 4])
})

it('says what failed, completes the others, and resumes in the next run', async () => {
  const feeds = await open([at('x/a.jsonl'), at('b.json')])
  log.add({ a: 1 })
  await feeds.follow()
  await rm(at('x'), { recursive: true })
  log.add({ a: 2 })
  const [broken, fine] = await feeds.close()
  expect(broken?.error).toMatchObject({ code: 'ENOENT' })
  expect(fine).toEqual({ target: at('b.json') })
  expect(JSON.parse(read('b.json'))).toHaveLength(2)
  await run([at('x/a.jsonl'), at('b.json')])
  expect(read('x/a.jsonl')).toBe('{"a":1}\n{"a":2}\n')
})

it('stops when it cannot store its state', async () => {
  const feeds = await open([at('a.jsonl')])
  log.add({ a: 1 })
  await mkdir(join(crawl, 'feeds.json.tmp'))
  await feeds.follow()
  log.add({ a: 2 })
  await feeds.follow()
  expect(read('a.jsonl')).toBe('{"a":1}\n')
  expect(notices.map(({ target }) => target)).toEqual(['feeds.json'])
  await rm(join(crawl, 'feeds.json.tmp'), { recursive: true })
  expect(await feeds.close()).toEqual([{ target: at('a.jsonl') }])
  expect(read('a.jsonl')).toBe('{"a":1}\n{"a":2}\n')
})

it('never copies twice at the same time', async () => {
  const feeds = await open([at('a.jsonl')])
  log.add(...Array.from({ length: 2_500 }, (_, a) => ({ a })))
  await Promise.all([feeds.follow(), feeds.follow(), feeds.close()])
  expect(read('a.jsonl').trim().split('\n')).toHaveLength(2_500)
})

it('shows on the standard output what takes effect in this run', async () => {
  const shown: string[] = []
  const output = async (text: string) => {
    shown.push(text)
  }
  log.add({ old: 1 }, { old: 2 }, { old: 3 })
  const feeds = await open(['-'], { output })
  await feeds.follow()
  expect(shown).toEqual([])
  log.add({ new: 4 })
  await feeds.close()
  expect(shown.join('')).toBe('{"new":4}\n')
})

it('shows the first item of all on the standard output', async () => {
  let shown = ''
  const feeds = await open(['-:json'], {
    output: async (text) => {
      shown += text
    },
  })
  log.add({ a: 1 })
  await feeds.close()
  expect(JSON.parse(shown)).toEqual([{ a: 1 }])
})

it('says once which fields the columns on the standard output have no room for', async () => {
  let shown = ''
  const feeds = await open(['-:csv'], {
    output: async (text) => {
      shown += text
    },
  })
  log.add({ a: 1 })
  await feeds.follow()
  log.add({ a: 2, b: 3 })
  await feeds.follow()
  log.add({ a: 4, b: 5 })
  await feeds.close()
  expect(shown).toBe('a\r\n1\r\n2\r\n4\r\n')
  expect(notices.map(({ kind }) => kind)).toEqual(['fields-left-out'])
})

it('ends without an error on a closed pipe, and the files continue', async () => {
  const stream = new PassThrough()
  const feeds = await open(['-', at('a.jsonl')], { output: streamOutput(stream) })
  log.add({ a: 1 })
  await feeds.follow()
  stream.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
  log.add({ a: 2 })
  await feeds.follow()
  log.add({ a: 3 })
  expect(await feeds.close()).toEqual([{ target: 'the standard output' }, { target: at('a.jsonl') }])
  expect(read('a.jsonl').trim().split('\n')).toHaveLength(3)
  expect(notices).toEqual([])
})

function open(targets: readonly FeedTarget[], options: Partial<OpenFeedsOptions> = {}): Promise<ItemFeeds> {
  return ItemFeeds.open(log, targets, {
    directory: crawl,
    clock,
    output: async () => {},
    writeTable: itemsToParquet,
    openStore: openObjectStore,
    onNotice: (notice) => notices.push(notice),
    ...options,
  })
}

async function run(targets: readonly FeedTarget[], options: Partial<OpenFeedsOptions> = {}) {
  return (await open(targets, options)).close()
}

function rejections(): FeedTarget {
  return { path: at('items.rejected.jsonl'), from: 'rejected' }
}

function at(name: string): string {
  return join(directory, name)
}

function read(name: string): string {
  return readFileSync(at(name), 'utf8')
}
