import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestDirectory } from '../../../../testing/open-test-directory.ts'
import { fetchedPage, listEntry, writeSegment } from '../../../../testing/segments.ts'
import { SEGMENT_COLUMNS, SEGMENT_DIRECTORIES } from '../../../domain/segment/segment-columns.ts'
import { DATABASE_FILE } from '../open-database.ts'
import { ParquetSegments } from './parquet-segments.ts'
import { segmentSource } from './segment-source.ts'

const NAME = '20270115080000'
const DOCS = join(import.meta.dirname, '../../../../docs')
const PAGE = join(DOCS, 'file-formats.md')
const docs = await readFile(PAGE, 'utf8')

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
  await (await openTestDirectory(crawl, { command: 'test', threads: 1 })).close()
  instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  connection = await instance.connect()
  await connection.run(`ATTACH '${join(crawl, DATABASE_FILE)}' AS crawldb (READ_ONLY)`)
})

afterAll(async () => {
  connection.disconnectSync()
  instance.closeSync()
  await rm(directory, { recursive: true })
})

it.each(SEGMENT_DIRECTORIES)('writes the columns of %s as declared', async (name) => {
  expect(await columnsOf(`read_parquet('${join(crawl, 'segments', NAME, name, '*.parquet')}')`)).toEqual(
    Object.entries(SEGMENT_COLUMNS[name]),
  )
})

// After a change of a column, `npx vitest run --project unit src/adapters/duckdb/segments/file-formats -u` updates the names and types on
// the page. The meaning of a new column is written by hand.
it('matches docs/file-formats.md', async () => {
  let page = docs
  for (const [heading, columns] of await documentedTables()) page = withColumns(page, heading, columns)
  await expect(page).toMatchFileSnapshot(PAGE)
})

it('has the meaning of every column in docs/file-formats.md', async () => {
  for (const [heading] of await documentedTables())
    expect([...meanings(tableAfter(docs, heading))].filter(([, meaning]) => meaning === '')).toEqual([])
})

it('names every column of the view hostdb in docs/hosts-and-links.md', async () => {
  const page = await readFile(join(DOCS, 'hosts-and-links.md'), 'utf8')
  const names = [...meanings(tableAfter(page, 'The view\n`hostdb`')).keys()].flatMap((cell) =>
    cell.split(', '),
  )
  const columns = await columnsOf('crawldb.hostdb')
  expect(names.sort()).toEqual(columns.map(([name]) => name).sort())
})

it.each([
  ['## Request log', 'request-log-entry.ts', /^export interface \w+Entry \{[\s\S]*?^\}/gm],
  ['## Certificate', 'certificate.ts', /^export interface \w+ \{[\s\S]*?^\}/gm],
])('names every field of %s', async (heading, file, interfaces) => {
  const source = await readFile(join(DOCS, '../src/domain/certificate', file), 'utf8')
  const fields = [...source.matchAll(interfaces)].flatMap(([text]) =>
    Array.from(text.matchAll(/readonly (\w+)\??:/g), ([, name = '']) => name),
  )
  const section = docs.slice(docs.indexOf(`\n${heading}\n`)).split(/\n## /)[1] ?? ''
  expect(fields.length).toBeGreaterThan(20)
  expect([...new Set(fields)].filter((name) => !new RegExp(`\\b${name}\\b`).test(section))).toEqual([])
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

/** The tables of the page, by the text that precedes each. */
async function documentedTables(): Promise<[string, [string, string][]][]> {
  return [
    ...SEGMENT_DIRECTORIES.map((name): [string, [string, string][]] => [
      `### ${name}\n`,
      Object.entries(SEGMENT_COLUMNS[name]),
    ]),
    ['## crawldb.duckdb\n', await columnsOf('crawldb.crawldb')],
    ['### requests\n', await columnsOf('crawldb.requests')],
    ['### failed_requests\n', await columnsOf('crawldb.failed_requests')],
    ['### items, rejected_items\n', await columnsOf('crawldb.rejected_items')],
    ['- **parquet**', await columnsOf(`read_parquet('${join(directory, 'pages.parquet')}')`)],
  ]
}

async function columnsOf(relation: string): Promise<[string, string][]> {
  return (await describe(`FROM ${relation}`)).rows
}

async function describe(relation: string): Promise<{ rows: [string, string][] }> {
  const reader = await connection.runAndReadAll(`SELECT column_name, column_type FROM (DESCRIBE ${relation})`)
  return { rows: reader.getRows() as [string, string][] }
}

/** The first table after `heading`. */
function tableAfter(page: string, heading: string): string {
  const at = page.indexOf(heading)
  expect(at, heading).toBeGreaterThan(-1)
  return /(?:^ *\|.*\n)+/m.exec(page.slice(at))?.[0] ?? ''
}

/** The last column of a table, by its first. */
function meanings(table: string): Map<string, string> {
  const rows = table.split('\n').slice(2, -1)
  return new Map(
    rows.map((line) => {
      const cells = line.split(/(?<!\\)\|/).map((cell) => cell.trim())
      return [cells[1] ?? '', cells.at(-2) ?? '']
    }),
  )
}

/** The page with these columns in the table after `heading`; columns keep their meaning. */
function withColumns(page: string, heading: string, columns: readonly (readonly [string, string])[]): string {
  const table = tableAfter(page, heading)
  const indent = /^ */.exec(table)?.[0] ?? ''
  const known = meanings(table)
  const lines = [
    ['column', 'type', 'meaning'],
    ['---', '---', '---'],
    ...columns.map(([name, type]) => [name, type, known.get(name) ?? '']),
  ].map((cells) => `${indent}| ${cells.join(' | ')} |\n`)
  const at = page.indexOf(table, page.indexOf(heading))
  return page.slice(0, at) + lines.join('') + page.slice(at + table.length)
}
