/** Makes files of `dist/` that each start would have to make again. Programs that run from the sources do without. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { completeConfig } from '../src/adapters/config/complete-config.ts'
import { openCrawlDirectory } from '../src/adapters/duckdb/open-crawl-directory.ts'

const DIST = join(import.meta.dirname, '../dist')

/** For src/adapters/config/settings-by-section.ts. */
writeFileSync(
  join(DIST, 'adapters/config/default-settings.json'),
  JSON.stringify(completeConfig({}, 'defaults')),
)

/** For src/adapters/duckdb/open-database.ts. */
const folder = mkdtempSync(join(tmpdir(), 'orbweaver-build-'))
try {
  const crawl = await openCrawlDirectory(join(folder, 'crawl'), { command: 'build' })
  await crawl.close()
  await copyFile(join(folder, 'crawl/crawldb.duckdb'), join(DIST, 'adapters/duckdb/empty-crawldb.duckdb'))
} finally {
  rmSync(folder, { recursive: true })
}
