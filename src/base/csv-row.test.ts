import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { csvRow } from './csv-row.ts'
import type { Json } from './json.ts'

it('quotes what would end a cell, and nothing else', () => {
  expect(csvRow(['a', 'b c', 'x,y', 'say "no"', 'two\nlines', 'two\rlines'])).toBe(
    'a,b c,"x,y","say ""no""","two\nlines","two\rlines"\r\n',
  )
})

it('writes numbers, truth, nothing, empty text and nested values', () => {
  expect(csvRow([1.5, true, null, undefined, '', [1, 'a'], { b: null }])).toBe(
    '1.5,true,,,"","[1,""a""]","{""b"":null}"\r\n',
  )
})

it('never writes an empty line', () => {
  expect(csvRow([null])).toBe('""\r\n')
})

it('leaves a formula as it is', () => {
  expect(csvRow(['=1+1', '@x'])).toBe('=1+1,@x\r\n')
})

const texts = fc.array(fc.string({ unit: fc.constantFrom(...'a",\r\n ;\t\u2028é=😀') }), {
  minLength: 1,
  maxLength: 5,
})

it('reads back as what was written', () => {
  fc.assert(
    fc.property(fc.array(texts), (rows) => {
      expect(parseCsv(rows.map(csvRow).join(''))).toEqual(rows)
    }),
  )
})

it('is read by another program as what was written', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'orbweaver-csv-'))
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  try {
    const rows = fc.sample(fc.tuple(fc.integer(), fc.string(), fc.option(fc.string())), 200)
    const named: Json[][] = rows.map(([a, b, c], i) => [i, a, b, c])
    const file = join(directory, 'rows.csv')
    writeFileSync(file, [['i', 'a', 'b', 'c'], ...named].map(csvRow).join(''))
    const reader = await connection.runAndReadAll(
      `SELECT i, a, b, c FROM read_csv('${file}', header = true, quote = '"', escape = '"', delim = ',', allow_quoted_nulls = false,
       columns = {i: 'INTEGER', a: 'INTEGER', b: 'VARCHAR', c: 'VARCHAR'}) ORDER BY i`,
    )
    expect(reader.getRows()).toEqual(named)
  } finally {
    connection.disconnectSync()
    instance.closeSync()
    await rm(directory, { recursive: true })
  }
})

/** RFC 4180, as strictly as it is written. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y
  while (cell.lastIndex < text.length) {
    const match = cell.exec(text)
    if (match === null) throw new Error('no CSV')
    row.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '')
    if (match[3] === ',') continue
    rows.push(row)
    row = []
  }
  return rows
}
