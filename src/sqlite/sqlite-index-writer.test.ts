import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { indexWriterContract } from '../../testing/index-writer-contract.ts'
import type { IndexDocument } from '../index/index-document.ts'
import { IndexUnavailable } from '../index/index-writer.ts'
import { IndexMissing, IndexUnusable, indexFile } from './index-file.ts'
import { SearchIndex } from './search-index.ts'
import { SqliteIndexWriter } from './sqlite-index-writer.ts'

const newDirectory = () => mkdtempSync(join(tmpdir(), 'orbweaver-sqlite-'))

indexWriterContract('SqliteIndexWriter', async () => {
  const dir = newDirectory()
  return {
    writer: SqliteIndexWriter.open(dir),
    reopen: async () => SqliteIndexWriter.open(dir),
    async stored() {
      const index = SearchIndex.open(dir)
      try {
        return [...index.documents()]
      } finally {
        index.close()
      }
    },
    async close() {
      rmSync(dir, { recursive: true })
    },
  }
})

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
    await writer.commit()
    expect(index.search('spider').total).toBe(2)
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

  it('refuses a file that is no index, and leaves it as it is', async () => {
    await mkdir(join(dir, 'index'))
    writeFileSync(indexFile(dir), 'not a database, but long enough to be looked at as one'.repeat(40))
    expect(() => SqliteIndexWriter.open(dir)).toThrow(IndexUnusable)
    expect(() => SearchIndex.open(dir)).toThrow(IndexUnusable)
    expect(existsSync(indexFile(dir))).toBe(true)
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
