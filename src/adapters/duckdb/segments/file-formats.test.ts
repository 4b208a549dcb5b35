import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fetchedPage, listEntry, writeSegment } from '../../../../testing/segments.ts'
import { SEGMENT_COLUMNS, SEGMENT_DIRECTORIES } from '../../../domain/segment/segment-columns.ts'
import { ParquetSegments } from './parquet-segments.ts'
import { segmentSource } from './segment-source.ts'

const NAME = '20270115080000'
const docs = await readFile(join(import.meta.dirname, '../../../../docs/file-formats.md'), 'utf8')

let directory: string
let crawl: string
let instance: DuckDBInstance
let connection: DuckDBConnection

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'segments-'))
  crawl = join(directory, 'crawl')
  await writeSegment(crawl, NAME, [listEntry('http://a.test/')])
  const segments = await ParquetSegments.open(crawl, { threads: 1 })
  const appender = await segments.append(NAME)
  await Promise.all([appender.add(fetchedPage('http://a.test/')), appender.close()])
  // docs/file-formats.md describes its lines; request-log.test.ts checks how they are written.
  await mkdir(join(crawl, 'requests'))
  const request = { type: 'request', start: 0, end: 5, url: 'http://a.test/' }
  await writeFile(join(crawl, 'requests', '1.jsonl.zst'), zstdCompressSync(`${JSON.stringify(request)}\n`))
  await segments.exportParquet([NAME], join(directory, 'pages.parquet'))
  segments.close()
  instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  connection = await instance.connect()
})

afterAll(async () => {
  connection.disconnectSync()
  instance.closeSync()
  await rm(directory, { recursive: true })
})

it.each(SEGMENT_DIRECTORIES)('documents the columns of %s as they are', async (name) => {
  const written = await columnsOf(join(crawl, 'segments', NAME, name, '*.parquet'))
  expect(written).toEqual(Object.entries(SEGMENT_COLUMNS[name]))
  expect(documented(`### ${name}\n`)).toEqual(written)
})

it('documents the columns of the Parquet export as they are', async () => {
  expect(documented('- **parquet**')).toEqual(await columnsOf(join(directory, 'pages.parquet')))
})

it.each(SEGMENT_DIRECTORIES)('gives %s its columns and types even when it has no files', async (name) => {
  const { rows } = await describe(`FROM ${segmentSource(name, [])}`)
  expect(rows.slice(0, -2)).toEqual(Object.entries(SEGMENT_COLUMNS[name]))
})

it('shows queries that work', async () => {
  const queries = Array.from(docs.matchAll(/```sql\n(.*?)```/gs), ([, sql = '']) => sql)
  expect(queries.length).toBeGreaterThan(2)
  for (const sql of queries) {
    const reader = await connection.runAndReadAll(sql.replaceAll("'crawl/", `'${crawl}/`))
    expect(reader.currentRowCount).toBeGreaterThan(0)
  }
})

async function columnsOf(glob: string): Promise<[string, string][]> {
  return (await describe(`FROM read_parquet('${glob}')`)).rows
}

async function describe(relation: string): Promise<{ rows: [string, string][] }> {
  const reader = await connection.runAndReadAll(`SELECT column_name, column_type FROM (DESCRIBE ${relation})`)
  return { rows: reader.getRows() as [string, string][] }
}

/** The first two columns of the first table after `heading`. */
function documented(heading: string): [string, string][] {
  const at = docs.indexOf(heading)
  const [table = ''] = /(?:^ *\|.*\n)+/m.exec(docs.slice(at)) ?? []
  const cells = table.split('\n').map((line) => line.split('|').map((cell) => cell.trim()))
  return cells.slice(2, -1).map(([, name = '', type = '']) => [name, type])
}
