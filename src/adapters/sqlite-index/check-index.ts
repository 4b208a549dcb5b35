import { existsSync } from 'node:fs'
import { indexFile, openIndexFileToRead } from './index-file.ts'

/** Reads the whole embedded index of a crawl directory. Returns why it cannot be used; `undefined` when it can, or there is none. */
export function checkIndex(crawlDirectory: string): string | undefined {
  if (!existsSync(indexFile(crawlDirectory))) return undefined
  try {
    const db = openIndexFileToRead(crawlDirectory)
    try {
      const { integrity_check: found } = db.prepare('PRAGMA integrity_check(1)').get() ?? {}
      return found === 'ok'
        ? undefined
        : `the index is damaged (${String(found)}): delete it, and make it again with orbweaver index`
    } finally {
      db.close()
    }
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
