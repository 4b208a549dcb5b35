import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SearchIndex } from '../src/adapters/sqlite-index/search-index.ts'
import type { IndexWriter } from '../src/domain/indexing/index-writer.ts'
import type { OpenIndex } from './index-writer-contract.ts'

/** The embedded index of a new crawl directory, written by the writers that `open` returns, for the contract of index writers. */
export async function embeddedIndex(open: (dir: string) => IndexWriter): Promise<OpenIndex> {
  const dir = mkdtempSync(join(tmpdir(), 'orbweaver-sqlite-'))
  return {
    writer: open(dir),
    reopen: async () => open(dir),
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
}
