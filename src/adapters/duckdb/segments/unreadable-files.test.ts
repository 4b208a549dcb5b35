import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { FakeClock } from '../../../../testing/fake-clock.ts'
import { fetchedPage, listEntry, writeSegment } from '../../../../testing/segments.ts'
import type { FileCheck } from '../../../domain/segment/segment-inspector.ts'
import { PartUnreadable } from '../../crawl-directory/crawl-directory-error.ts'
import { LocalSegmentFolder } from '../../crawl-directory/segment-folder.ts'
import { ParquetSegments } from './parquet-segments.ts'
import { checkFiles, isDamage } from './unreadable-files.ts'

const NAME = '20270115080000'
const URLS = Array.from({ length: 3 }, (_, i) => `http://a.test/${i}`)

let crawl: string
let store: ParquetSegments
const fileOf = (directory: string, part: number) =>
  join(crawl, 'segments', NAME, directory, `part-00000${part}-w0.parquet`)

beforeEach(async () => {
  crawl = await mkdtemp(join(tmpdir(), 'segments-'))
  await writeSegment(
    crawl,
    NAME,
    URLS.map((url) => listEntry(url)),
  )
  store = await ParquetSegments.open(crawl, { clock: new FakeClock(), threads: 1 })
  const appender = await store.append(NAME)
  for (const url of URLS) await Promise.all([appender.add(fetchedPage(url)), appender.flush()])
  await appender.close()
})
afterEach(async () => {
  store.close()
  await rm(crawl, { recursive: true })
})

it('finds every committed file readable in a sound crawl', async () => {
  const checks = await allChecks()
  const files = (await readdir(join(crawl, 'segments', NAME), { recursive: true })).filter((name) =>
    name.endsWith('.parquet'),
  )
  expect(checks).toHaveLength(files.length)
  expect(checks.filter(({ damage }) => damage !== undefined)).toEqual([])
})

it.each<[string, (file: string) => Promise<void>]>([
  ['truncated', async (file) => truncate(file, 300)],
  ['empty', async (file) => truncate(file, 0)],
  ['overwritten', async (file) => writeFile(file, 'x'.repeat(2_000))],
  ['damaged in its footer', (file) => overwrite(file, -60, 40)],
  ['damaged in its first page', async (file) => overwrite(file, 4, 30)],
])('names a file that is %s, wherever it is read', async (_, damage) => {
  await damage(fileOf('crawl_fetch', 2))
  const found = (await allChecks()).flatMap(({ damage }) => (damage === undefined ? [] : [damage]))
  expect(found).toEqual([
    {
      segment: NAME,
      directory: 'crawl_fetch',
      part: 'part-000002-w0.parquet',
      file: fileOf('crawl_fetch', 2),
      reason: expect.stringMatching(/^(?!.*Error:)./),
    },
  ])
  const failure = await store.fetchCounts(NAME, 0).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(PartUnreadable)
  expect(failure).toMatchObject({ code: 'PART_UNREADABLE', file: fileOf('crawl_fetch', 2) })
  expect((failure as Error).message).toContain(`orbweaver doctor ${crawl} --repair`)
})

it('does not take a file for damaged that has other columns or is gone', async () => {
  const instance = await DuckDBInstance.create()
  const connection = await instance.connect()
  await connection.run(`COPY (SELECT 1 AS x) TO '${fileOf('crawl_fetch', 2)}' (FORMAT parquet)`)
  instance.closeSync()
  await expect(allChecks()).rejects.toThrow(/Binder Error/)
  expect(isDamage(new Error('IO Error: No files found that match the pattern "x.parquet"'))).toBe(false)
  expect(isDamage(new Error('IO Error: Cannot open file "x.parquet": Permission denied'))).toBe(false)
})

async function allChecks(): Promise<FileCheck[]> {
  const checks: FileCheck[] = []
  for await (const check of checkFiles(new LocalSegmentFolder(join(crawl, 'segments')))) checks.push(check)
  return checks
}

async function overwrite(file: string, at: number, bytes: number): Promise<void> {
  const content = await readFile(file)
  const start = at < 0 ? content.length + at : at
  await writeFile(file, content.fill(7, start, start + bytes))
}
