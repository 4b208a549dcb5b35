import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { FakeClock } from '../../testing/fake-clock.ts'
import { type RedisServer, startRedis } from '../../testing/redis-server.ts'
import { requireS3Server } from '../../testing/require-s3-server.ts'
import { type S3Server, startS3Server } from '../../testing/s3-server.ts'
import type { FeedFile } from '../adapters/feeds/feed-target.ts'
import { openObjectStore } from '../adapters/object-store/open-object-store.ts'
import { ItemTaker } from '../adapters/redis/item-taker.ts'
import { parseRedisAddress } from '../adapters/redis/redis-address.ts'
import { connectRedis, type RedisConnection } from '../adapters/redis/redis-connection.ts'
import { type ConsumeItemsOptions, consumeItems } from './consume-items.ts'

let server: RedisServer
let connection: RedisConnection
let clock: FakeClock
let folder: string
let crawl: string
let crawls = 0

beforeAll(async () => {
  server = await startRedis()
  connection = await connectRedis(parseRedisAddress(server.address))
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-consume-'))
})
afterAll(async () => {
  connection?.close()
  await server?.stop()
  rmSync(folder, { recursive: true })
})
beforeEach(() => {
  clock = new FakeClock()
  crawl = `consume-${++crawls}`
})

const path = (name: string) => join(folder, `${crawl}-${name}`)
const push = (...numbers: readonly number[]) =>
  server.command('rpush', `${crawl}:items`, ...numbers.map((n) => JSON.stringify({ n })))
const lines = (file: string) => readFileSync(file, 'utf8').split('\n').slice(0, -1)
const upTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1)
const jsonLines = (...numbers: readonly number[]) => numbers.map((n) => `{"n":${n}}`)

interface Process {
  readonly name?: string
  readonly through?: RedisConnection
  readonly options?: Partial<ConsumeItemsOptions>
}

function consume(targets: readonly FeedFile[], { name = 'me', through, options }: Process = {}) {
  const taker = new ItemTaker(through ?? connection, clock, crawl, { name, batch: 4 })
  const signal = new AbortController().signal
  return consumeItems(taker, targets, {
    clock,
    signal,
    output: async () => {},
    openStore: openObjectStore,
    ...options,
  })
}

describe('consumeItems', () => {
  it('writes items to all targets and removes them from Redis', async () => {
    await push(...upTo(9))
    const targets = [
      { path: path('a.jsonl') },
      { path: path('a.json') },
      { path: path('a.csv'), fields: ['n'] },
    ]
    expect(await consume(targets)).toMatchObject({
      items: 9,
      malformed: 0,
      targets: targets.map((t) => t.path),
    })
    expect(lines(path('a.jsonl'))).toEqual(jsonLines(...upTo(9)))
    expect(JSON.parse(readFileSync(path('a.json'), 'utf8'))).toEqual(upTo(9).map((n) => ({ n })))
    expect(readFileSync(path('a.csv'), 'utf8').trim().split('\r\n')).toEqual(['n', ...upTo(9).map(String)])
    expect(await server.command('exists', `${crawl}:items`)).toBe('0')
  })

  it('appends to its files in the next run', async () => {
    const targets = [{ path: path('b.json') }, { path: path('b-{batch}.jsonl'), batchSize: 3 }]
    await push(1, 2)
    await consume(targets)
    await push(3, 4, 5, 6)
    await consume(targets)
    expect(JSON.parse(readFileSync(path('b.json'), 'utf8'))).toEqual(upTo(6).map((n) => ({ n })))
    const batches = ['00001', '00002', '00003'].map((n) => lines(path(`b-${n}.jsonl`)))
    expect(batches).toEqual([jsonLines(1, 2), jsonLines(3, 4, 5), jsonLines(6)])
  })

  it('writes no file if there are no items', async () => {
    expect(await consume([{ path: path('c.json') }])).toMatchObject({ items: 0 })
    expect(existsSync(path('c.json'))).toBe(false)
  })

  const SCRIPTS = ['join-items', 'acknowledge-items', 'take-items', 'leave-items']
  const deaths = SCRIPTS.flatMap((script) =>
    (['before', 'after'] as const).flatMap((when) => [1, 2, 3].map((nth) => ({ script, when, nth }))),
  )

  describe.runIf(requireS3Server())('to an object store', () => {
    let store: S3Server
    beforeAll(async () => {
      store = await startS3Server()
      vi.stubEnv('XDG_STATE_HOME', join(folder, 'state'))
    })
    afterAll(async () => {
      vi.unstubAllEnvs()
      await store.stop()
    })
    const toStore = { openStore: (url: string) => openObjectStore(url, {}, { env: store.env }) }
    const objects = () =>
      readdirSync(join(store.folder, crawl))
        .sort()
        .flatMap((name) => lines(join(store.folder, crawl, name)))

    it('puts complete files, and continues the numbers', async () => {
      const targets = [{ path: `s3://crawls/${crawl}/a-{batch}.jsonl`, batchSize: 3 }]
      await push(1, 2, 3, 4)
      await consume(targets, { options: toStore })
      await push(5, 6)
      await consume(targets, { options: toStore })
      expect(readdirSync(join(store.folder, crawl))).toHaveLength(3)
      expect(objects()).toEqual(jsonLines(...upTo(6)))
    })

    it('puts one file by the time of each run', async () => {
      const targets = [{ path: `s3://crawls/${crawl}/a-{time}.jsonl` }]
      await push(1, 2)
      await consume(targets, { options: toStore })
      clock.advance(1_000)
      await push(3)
      await consume(targets, { options: toStore })
      expect(readdirSync(join(store.folder, crawl))).toHaveLength(2)
      expect(objects()).toEqual(jsonLines(1, 2, 3))
    })

    it.each(deaths)(
      'puts each item once when killed $when $script number $nth',
      async ({ script, when, nth }) => {
        await push(...upTo(10))
        const targets = [{ path: `s3://crawls/${crawl}/d-{batch}.jsonl`, batchSize: 3 }]
        const through = new DyingConnection(connection, script, when, nth)
        await consume(targets, { through, options: toStore }).catch(() => {})
        await consume(targets, { options: toStore })
        expect(objects()).toEqual(jsonLines(...upTo(10)))
      },
    )
  })

  it.each(deaths)(
    'writes each item once when killed $when $script number $nth',
    async ({ script, when, nth }) => {
      await push(...upTo(10))
      const targets = [{ path: path('d.jsonl') }, { path: path('d.json') }]
      const through = new DyingConnection(connection, script, when, nth)
      await consume(targets, { through }).catch(() => {})
      const { items } = await consume(targets)
      expect(items).toBeLessThanOrEqual(10)
      expect(lines(path('d.jsonl'))).toEqual(jsonLines(...upTo(10)))
      expect(JSON.parse(readFileSync(path('d.json'), 'utf8'))).toEqual(upTo(10).map((n) => ({ n })))
    },
  )

  it('removes the items that it wrote if another consumer has them by then', async () => {
    await push(...upTo(10))
    const slow = new SlowConnection(connection, 'acknowledge-items', 3, async () => {
      clock.advance(60_000)
      await consume([{ path: path('e-other.jsonl') }], { name: 'other' })
    })
    await consume([{ path: path('e.jsonl') }], { through: slow })
    expect(lines(path('e.jsonl'))).toEqual(jsonLines(1, 2, 3, 4))
    // What was late first.
    expect(lines(path('e-other.jsonl'))).toEqual(jsonLines(5, 6, 7, 8, 9, 10))
  })

  it('stops when another process writes to the same files', async () => {
    await push(...upTo(10))
    const targets = [{ path: path('f.jsonl') }]
    const first = new SlowConnection(connection, 'acknowledge-items', 3, async () => {
      await consume(targets)
    })
    await expect(consume(targets, { through: first })).rejects.toMatchObject({ code: 'CONSUMER_REPLACED' })
    expect(lines(path('f.jsonl'))).toEqual(jsonLines(...upTo(10)))
  })

  it('waits for more items until the crawl is finished, and takes over unfinished batches', async () => {
    await push(1)
    const dead = new ItemTaker(connection, clock, crawl, { name: 'dead' })
    await dead.join()
    await dead.take()
    await push(2)
    const looks = [
      async () => false,
      async () => void (await push(3)),
      // Over, but for what the other had.
      async () => void clock.advance(60_000),
    ]
    const isOver = async () => {
      const look = looks.shift()
      await look?.()
      // Time passes while it waits.
      setImmediate(() => clock.advance(1_000))
      return look === undefined
    }
    const { items } = await consume([{ path: path('g.jsonl') }], { options: { isOver } })
    expect(items).toBe(3)
    expect(lines(path('g.jsonl')).sort()).toEqual(jsonLines(1, 2, 3))
  })

  it('stops by signal with complete files', async () => {
    await push(...upTo(10))
    const stop = new AbortController()
    const through = new SlowConnection(connection, 'take-items', 2, async () => stop.abort())
    const options = { signal: stop.signal, isOver: async () => false }
    expect(await consume([{ path: path('h.json') }], { through, options })).toMatchObject({ items: 8 })
    expect(JSON.parse(readFileSync(path('h.json'), 'utf8'))).toHaveLength(8)
    expect(await server.command('llen', `${crawl}:items`)).toBe('2')
  })

  it('leaves items to others when the reader of the output is gone', async () => {
    await push(...upTo(6))
    let shown = ''
    const output = async (text: string) => {
      if (shown !== '') throw Object.assign(new Error('closed'), { code: 'EPIPE' })
      shown += text
    }
    const targets = [{ path: '-' }, { path: path('l.json') }]
    expect(await consume(targets, { options: { output } })).toMatchObject({ items: 4 })
    expect(JSON.parse(readFileSync(path('l.json'), 'utf8'))).toHaveLength(4)
    expect(shown).toBe('{"n":1}\n{"n":2}\n{"n":3}\n{"n":4}\n')
    const taker = new ItemTaker(connection, clock, crawl)
    await taker.join()
    expect((await taker.take()).items.map(({ item }) => item)).toEqual([{ n: 5 }, { n: 6 }])
  })

  it('creates a new file when the last was moved away', async () => {
    const targets = [{ path: path('i.jsonl') }]
    await push(1, 2)
    await consume(targets)
    renameSync(path('i.jsonl'), path('i-moved.jsonl'))
    await push(3)
    await consume(targets)
    expect(lines(path('i.jsonl'))).toEqual(jsonLines(3))
    expect(lines(path('i-moved.jsonl'))).toEqual(jsonLines(1, 2))
  })

  it.each<[string, FeedFile, RegExp]>([
    ['Parquet', { path: 'x.parquet' }, /nothing can be appended to a Parquet file/],
    ['CSV without columns', { path: 'x.csv' }, /the columns must be known/],
    [
      'a file of another program',
      { path: 'mine.jsonl' },
      /mine\.jsonl is there, and this crawl has not written it/,
    ],
    [
      'a file that became shorter',
      { path: 'short.jsonl' },
      /short\.jsonl has 3 bytes, not 16, and has the only copy/,
    ],
    ['a file of another format', { path: 'short.jsonl', format: 'json' }, /was written as jsonl before/],
    [
      'a file with other fields',
      { path: 'short.jsonl', fields: ['n'] },
      /was written with other fields before/,
    ],
  ])('rejects %s, and takes no items', async (_, target, message) => {
    writeFileSync(path('mine.jsonl'), 'mine\n')
    await push(1, 2)
    await consume([{ path: path('short.jsonl') }])
    truncateSync(path('short.jsonl'), 3)
    await push(3)
    const named = { ...target, path: path(target.path) }
    await expect(consume([named])).rejects.toThrow(message)
    expect(await server.command('llen', `${crawl}:items`)).toBe('1')
    expect(readFileSync(path('mine.jsonl'), 'utf8')).toBe('mine\n')
    expect(readFileSync(path('short.jsonl'), 'utf8')).toBe('{"n')
  })

  it('rejects malformed data in Redis', async () => {
    await server.command('hset', `orbweaver:{${crawl}}:consumer:me`, 'state', '{"x":{"bytes":-1}}')
    await expect(consume([{ path: path('k.jsonl') }])).rejects.toThrow(
      'what Redis remembers of the consumer me',
    )
  })
})

/** Calls `before` before the nth run of a script. */
class SlowConnection implements RedisConnection {
  readonly isCluster = false
  readonly #connection: RedisConnection
  readonly #script: string
  readonly #before: () => Promise<void>
  #left: number

  constructor(connection: RedisConnection, script: string, nth: number, before: () => Promise<void>) {
    this.#connection = connection
    this.#script = script
    this.#left = nth
    this.#before = before
  }

  async run(...call: Parameters<RedisConnection['run']>): Promise<unknown> {
    if (call[0].name === this.#script && --this.#left === 0) await this.#before()
    return this.#connection.run(...call)
  }

  close(): void {}
}

/** Of a process that is killed before or after the nth run of a script: nothing comes through from then on. */
class DyingConnection implements RedisConnection {
  readonly isCluster = false
  readonly #connection: RedisConnection
  readonly #script: string
  readonly #when: 'before' | 'after'
  #left: number
  #isDead = false

  constructor(connection: RedisConnection, script: string, when: 'before' | 'after', nth: number) {
    this.#connection = connection
    this.#script = script
    this.#when = when
    this.#left = nth
  }

  async run(...call: Parameters<RedisConnection['run']>): Promise<unknown> {
    const isTheLast = call[0].name === this.#script && --this.#left === 0
    if (this.#isDead || (isTheLast && this.#when === 'before')) return this.#die()
    const reply = await this.#connection.run(...call)
    return isTheLast ? this.#die() : reply
  }

  close(): void {}

  #die(): never {
    this.#isDead = true
    throw new Error('killed')
  }
}
