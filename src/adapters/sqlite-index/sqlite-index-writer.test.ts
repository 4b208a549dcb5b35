import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { embeddedIndex } from '../../../testing/embedded-index.ts'
import { indexWriterContract } from '../../../testing/index-writer-contract.ts'
import type { IndexDocument } from '../../domain/indexing/index-document.ts'
import { IndexUnavailable } from '../../domain/indexing/index-writer.ts'
import { deleteOlderIndex, IndexMissing, IndexUnusable, indexFile, nodeSqlite } from './index-file.ts'
import { SearchIndex } from './search-index.ts'
import { SqliteIndexWriter } from './sqlite-index-writer.ts'

const newDirectory = () => mkdtempSync(join(tmpdir(), 'orbweaver-sqlite-'))

indexWriterContract('SqliteIndexWriter', () => embeddedIndex((dir) => SqliteIndexWriter.open(dir)))

describe('SqliteIndexWriter', () => {
  let dir: string
  beforeEach(() => {
    dir = newDirectory()
  })
  afterEach(() => rmSync(dir, { recursive: true }))

  it('shows searchers nothing before the commit, and does not keep them waiting', async () => {
    const writer = SqliteIndexWriter.open(dir)
    await writer.write([put('http://a.test/1', 'spider')])
    await writer.commit()
    const index = SearchIndex.open(dir)
    await writer.write([put('http://a.test/2', 'spider')])
    expect(index.search('spider').total).toBe(1)
    expect(index.count()).toBe(1)
    await writer.commit()
    expect(index.search('spider').total).toBe(2)
    expect(index.count()).toBe(2)
    index.close()
    await writer.close()
  })

  it('drops what was not committed when it is closed', async () => {
    const writer = SqliteIndexWriter.open(dir)
    await writer.write([put('http://a.test/', 'spider')])
    await writer.close()
    await writer.close()
    const index = SearchIndex.open(dir)
    expect(index.count()).toBe(0)
    index.close()
  })

  it('leaves nothing of a replaced document to be found', async () => {
    const writer = SqliteIndexWriter.open(dir)
    await writer.write([put('http://a.test/', 'spider')])
    await writer.write([put('http://a.test/', 'beetle')])
    await writer.commit()
    const index = SearchIndex.open(dir)
    expect(index.search('spider').total).toBe(0)
    expect(index.search('beetle').total).toBe(1)
    index.close()
    await writer.close()
  })

  it('says that it takes nothing when it cannot write', async () => {
    const writer = SqliteIndexWriter.open(dir)
    await writer.close()
    await expect(writer.write([put('http://a.test/', 'x')])).rejects.toThrow(IndexUnavailable)
  })

  it('refuses a file that is not an index, and does not change it', async () => {
    await mkdir(join(dir, 'index'))
    writeFileSync(indexFile(dir), 'not a database, but long enough to be looked at as one'.repeat(40))
    expect(() => SqliteIndexWriter.open(dir)).toThrow(IndexUnusable)
    expect(() => SearchIndex.open(dir)).toThrow(IndexUnusable)
    expect(existsSync(indexFile(dir))).toBe(true)
  })

  it('advises to delete what is damaged or of another version, and nothing else', async () => {
    const writer = SqliteIndexWriter.open(dir)
    await writer.write([put('http://a.test/', 'spider')])
    await writer.commit()
    await writer.close()
    const { DatabaseSync } = nodeSqlite()
    const other = new DatabaseSync(indexFile(dir))
    other.exec(`UPDATE texts SET content = x'0102030405'`)
    const damaged = SearchIndex.open(dir)
    expect(() => damaged.search('spider')).toThrow(
      /pages\.sqlite cannot be used .*: delete it, and make it again/,
    )
    expect(() => damaged.document('http://a.test/')).toThrow(IndexUnusable)
    damaged.close()
    other.exec(`UPDATE meta SET value = '0'`)
    expect(() => SearchIndex.open(dir)).toThrow(/it has version 0, .*: orbweaver index makes it again/)
    expect(deleteOlderIndex(dir)).toBe(true)
    expect(deleteOlderIndex(dir)).toBe(false)
    expect(() => SearchIndex.open(dir)).toThrow(IndexMissing)
    other.close()
    mkdirSync(indexFile(dir))
    expect(() => SearchIndex.open(dir)).toThrow(/cannot be used \([^)]+\)$/)
  })

  it('says so when the file is destroyed', async () => {
    const writer = SqliteIndexWriter.open(dir)
    const pages = Array.from({ length: 200 }, (_, i) => put(`http://a.test/${i}`, `spider ${i} `.repeat(300)))
    await writer.write(pages)
    await writer.commit()
    await writer.close()
    const sound = readFileSync(indexFile(dir))
    for (const from of [2, 40]) {
      writeFileSync(indexFile(dir), Buffer.from(sound).fill(0x5a, 4096 * from))
      const write = async () => {
        const again = SqliteIndexWriter.open(dir)
        try {
          await again.write(pages)
          await again.commit()
        } finally {
          await again.close()
        }
      }
      await expect(write()).rejects.toThrow(/cannot be used \(.*: delete it/)
    }
  })

  it('counts the words of pages that are replaced and deleted', async () => {
    const writer = SqliteIndexWriter.open(dir)
    await writer.write([put('http://a.test/1', 'spider web'), put('http://a.test/2', 'spider')])
    await writer.commit()
    await writer.write([put('http://a.test/1', 'silk'), { kind: 'delete', id: 'http://a.test/2' }])
    await writer.commit()
    await writer.close()
    const db = new (nodeSqlite().DatabaseSync)(indexFile(dir))
    const counts = db.prepare(`SELECT term, pages FROM terms WHERE pages <> 0 AND reversed IS NOT NULL`).all()
    expect(counts.map(({ term, pages }) => `${term} ${pages}`)).toEqual(['silk 1', 'test 1'])
    db.close()
  })

  it('says when there is no index to search', () => {
    expect(() => SearchIndex.open(dir)).toThrow(IndexMissing)
    expect(existsSync(indexFile(dir))).toBe(false)
  })
})

function put(id: string, content: string) {
  const document: IndexDocument = {
    ...{ id, url: id, host: 'a.test', content, anchors: [], boost: 1, tstamp: 0, segment: '', metadata: {} },
  }
  return { kind: 'put', document } as const
}
