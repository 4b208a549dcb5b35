import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type CrawlDirectory,
  type OpenOptions,
  openCrawlDirectory,
} from '../src/adapters/duckdb/open-crawl-directory.ts'
import { DATABASE_FILE } from '../src/adapters/duckdb/open-database.ts'

/** Opens a crawl directory. In an empty folder it starts with a copy of an empty database, which takes half the time of creating one. */
export async function openTestDirectory(path: string, options: OpenOptions): Promise<CrawlDirectory> {
  const file = join(path, DATABASE_FILE)
  if (!existsSync(file)) {
    emptyDatabase ??= createDatabase()
    await writeFile(file, await emptyDatabase)
  }
  return openCrawlDirectory(path, options)
}

/** The content of the file; one for all tests of this thread. */
let emptyDatabase: Promise<Buffer> | undefined

async function createDatabase(): Promise<Buffer> {
  const path = await mkdtemp(join(tmpdir(), 'orbweaver-empty-'))
  await (await openCrawlDirectory(path, { command: 'test', threads: 1 })).close()
  const bytes = await readFile(join(path, DATABASE_FILE))
  await rm(path, { recursive: true })
  return bytes
}
