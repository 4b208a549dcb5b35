import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { embeddedIndex } from '../../../testing/embedded-index.ts'
import { indexWriterContract } from '../../../testing/index-writer-contract.ts'
import { IndexUnavailable } from '../../domain/indexing/index-writer.ts'
import { IndexUnusable, indexFile, nodeSqlite } from './index-file.ts'
import { SearchIndex } from './search-index.ts'
import { WriteBehindWriter } from './write-behind-writer.ts'

const newDirectory = () => mkdtempSync(join(tmpdir(), 'orbweaver-write-behind-'))

for (const [name, options] of [
  ['WriteBehindWriter for small updates', {}],
  ['WriteBehindWriter with a thread', { threadAfter: 0 }],
] as const)
  indexWriterContract(name, () => embeddedIndex((dir) => WriteBehindWriter.open(dir, options)))

describe('WriteBehindWriter', () => {
  let dir: string
  let started: number
  const onWorker = () => {
    started++
  }
  beforeEach(() => {
    dir = newDirectory()
    started = 0
    process.on('worker', onWorker)
  })
  afterEach(() => {
    process.off('worker', onWorker)
    rmSync(dir, { recursive: true })
  })

  const count = () => {
    const index = SearchIndex.open(dir)
    try {
      return index.count()
    } finally {
      index.close()
    }
  }
  const openDatabase = () => new (nodeSqlite().DatabaseSync)(indexFile(dir), { timeout: 0 })

  it('starts a thread only for more changes than a thread is worth', async () => {
    const writer = WriteBehindWriter.open(dir, { threadAfter: 3 })
    await writer.write([put('1'), put('2'), put('3')])
    await writer.commit()
    await writer.write([put('4'), put('5')])
    await writer.commit()
    await writer.write([put('6'), put('7')])
    await nextTurn()
    expect(started).toBe(0)
    await writer.write([put('8'), put('9')])
    await writer.commit()
    expect(started).toBe(1)
    expect(count()).toBe(9)
    await writer.close()
  })

  it('starts a thread for few changes if they are large', async () => {
    const writer = WriteBehindWriter.open(dir)
    await writer.write([put('1', 'spider '.repeat(400_000))])
    await writer.commit()
    expect(started).toBe(1)
    expect(count()).toBe(1)
    await writer.close()
  })

  it('has nothing of uncommitted changes in the index when it is closed', async () => {
    for (const threadAfter of [0, 300]) {
      const writer = WriteBehindWriter.open(dir, { threadAfter })
      await writer.write([put('1'), put('2')])
      await writer.close()
      await writer.close()
      expect(count()).toBe(0)
    }
  })

  it('rejects the commit, and all later calls, when a change could not be written', async () => {
    const writer = WriteBehindWriter.open(dir, { threadAfter: 0 })
    await writer.write([put('1')])
    await writer.commit()
    const other = openDatabase()
    other.exec(`CREATE TRIGGER fails BEFORE INSERT ON pages WHEN new.id LIKE '%/2'
      BEGIN SELECT RAISE(ABORT, 'this one fails'); END`)
    await writer.write([put('2')])
    await writer.write([put('3')])
    const failure = await writer.commit().catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(IndexUnavailable)
    expect(failure).toMatchObject({
      code: 'INDEX_UNAVAILABLE',
      message: expect.stringMatching(/^the embedded index takes nothing: .*this one fails/),
    })
    other.exec('DROP TRIGGER fails')
    other.close()
    await expect(writer.write([put('4')])).rejects.toBe(failure)
    await expect(writer.commit()).rejects.toBe(failure)
    await writer.close()
    expect(count()).toBe(1)
  })

  it('gives the advice for a damaged file', async () => {
    const pages = Array.from({ length: 200 }, (_, i) => put(`${i}`, `spider ${i} `.repeat(300)))
    const writer = WriteBehindWriter.open(dir, { threadAfter: 0 })
    await writer.write(pages)
    await writer.commit()
    await writer.close()
    writeFileSync(indexFile(dir), readFileSync(indexFile(dir)).fill(0x5a, 4096 * 40))
    const again = WriteBehindWriter.open(dir, { threadAfter: 0 })
    const write = async () => {
      await again.write(pages)
      await again.commit()
    }
    const failure = await write().catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(IndexUnusable)
    expect(failure).toMatchObject({
      code: 'INDEX_UNUSABLE',
      message: expect.stringMatching(/pages\.sqlite cannot be used \(.*: delete it/),
    })
    await again.close()
  })

  it('accepts documents with functions, as a filter may make them', async () => {
    const writer = WriteBehindWriter.open(dir, { threadAfter: 0 })
    const change = put('1')
    const document = { ...change.document, helper: () => 1 }
    await writer.write([{ ...change, document }])
    await writer.commit()
    expect(count()).toBe(1)
    await writer.close()
  })
})

function put(name: string, content = 'spider') {
  const id = `http://a.test/${name}`
  return {
    kind: 'put',
    document: {
      ...{ id, url: id, host: 'a.test', content, anchors: [], boost: 1, tstamp: 0, segment: '' },
      metadata: {},
    },
  } as const
}
