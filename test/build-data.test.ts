import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { expect, it, onTestFinished } from 'vitest'
import { completeConfig } from '../src/adapters/config/complete-config.ts'
import { openCrawlDirectory } from '../src/adapters/duckdb/open-crawl-directory.ts'

const DIST = join(import.meta.dirname, '../dist/adapters')

it('ships an empty CrawlDb that equals a new one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-empty-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const crawl = await openCrawlDirectory(folder, { command: 'test' })
  await crawl.close()
  const shipped = await contentsOf(join(DIST, 'duckdb/empty-crawldb.duckdb'))
  expect(shipped).toEqual(await contentsOf(join(folder, 'crawldb.duckdb')))
  expect(shipped.meta).toContainEqual({ key: 'schema_version', value: expect.any(String) })
})

it('ships the settings of an empty configuration', () => {
  const shipped: unknown = JSON.parse(readFileSync(join(DIST, 'config/default-settings.json'), 'utf8'))
  expect(shipped).toEqual(completeConfig({}, 'defaults'))
})

async function contentsOf(file: string) {
  const instance = await DuckDBInstance.create(file, { access_mode: 'READ_ONLY' })
  const connection = await instance.connect()
  const rows = async (sql: string) => (await connection.runAndReadAll(sql)).getRowObjectsJson()
  const contents = {
    tables: await rows('SELECT table_name, sql, estimated_size FROM duckdb_tables() ORDER BY table_name'),
    views: await rows('SELECT view_name, sql FROM duckdb_views() WHERE NOT internal'),
    meta: await rows('FROM meta'),
  }
  connection.closeSync()
  instance.closeSync()
  return contents
}
