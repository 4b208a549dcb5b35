import { readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { itemsToParquet } from './items-to-parquet.ts'

let directory: string
let file: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "orbweaver's-parquet-"))
  file = join(directory, 'items.parquet')
})
afterEach(() => rm(directory, { recursive: true }))

it('finds types, keeps what is nested, and has a column for every key', async () => {
  expect(
    await itemsToParquet(
      file,
      pages([
        [
          { title: 'a', price: 1, tags: ['x'], seller: { name: 's' }, day: '2027-01-15' },
          { title: 'b', price: 2.5, tags: [], seller: { stars: 4 }, day: '2027-01-16' },
        ],
        [{ late: true }],
      ]),
    ),
  ).toBe(3)
  expect(await table()).toEqual({
    columns: {
      title: 'VARCHAR',
      price: 'DOUBLE',
      tags: 'VARCHAR[]',
      seller: 'STRUCT("name" VARCHAR, stars BIGINT)',
      day: 'DATE',
      late: 'BOOLEAN',
    },
    rows: [
      {
        title: 'a',
        price: 1,
        tags: ['x'],
        seller: { name: 's', stars: null },
        day: '2027-01-15',
        late: null,
      },
      { title: 'b', price: 2.5, tags: [], seller: { name: null, stars: '4' }, day: '2027-01-16', late: null },
      { title: null, price: null, tags: null, seller: null, day: null, late: true },
    ],
  })
})

it('marks times as UTC, wherever they are', async () => {
  await itemsToParquet(
    file,
    pages([
      [
        {
          at: '2027-01-15T08:00:00.125Z',
          offset: '2027-01-15T08:00:00+02:00',
          plain: '2027-01-15 08:00:00',
          'TIMESTAMP "x"': { TIMESTAMP: '2027-01-15T08:00:00Z', 'a TIMESTAMP': 1 },
          list: [{ at: '2027-01-15T08:00:00Z' }],
          day: '2027-01-15',
        },
      ],
    ]),
  )
  expect(await table('COLUMNS(*)::VARCHAR')).toEqual({
    columns: {
      at: 'TIMESTAMP WITH TIME ZONE',
      offset: 'TIMESTAMP WITH TIME ZONE',
      plain: 'TIMESTAMP WITH TIME ZONE',
      'TIMESTAMP "x"': 'STRUCT("TIMESTAMP" TIMESTAMP WITH TIME ZONE, "a TIMESTAMP" BIGINT)',
      list: 'STRUCT("at" TIMESTAMP WITH TIME ZONE)[]',
      day: 'DATE',
    },
    rows: [
      {
        at: '2027-01-15 08:00:00.125+00',
        offset: '2027-01-15 06:00:00+00',
        plain: '2027-01-15 08:00:00+00',
        'TIMESTAMP "x"': "{'TIMESTAMP': '2027-01-15 08:00:00+00', 'a TIMESTAMP': 1}",
        list: "[{'at': '2027-01-15 08:00:00+00'}]",
        day: '2027-01-15',
      },
    ],
  })
})

it('keeps values without a common type as JSON, wherever the odd one is', async () => {
  const many = Array.from({ length: 30_000 }, (_, n) => ({ n: n === 29_999 ? 'none' : n }))
  await itemsToParquet(file, pages([many]))
  const { columns, rows } = await table()
  expect(columns).toEqual({ n: 'JSON' })
  expect([rows[0], rows[29_998], rows[29_999]]).toEqual([{ n: '0' }, { n: '29998' }, { n: '"none"' }])
})

it('keeps the order of items, and keys that differ in case', async () => {
  const many = Array.from({ length: 5_000 }, (_, n) => ({ n, N: `${n}` }))
  await itemsToParquet(file, pages([many.slice(0, 10), many.slice(10)]))
  const { rows } = await table()
  expect(rows).toEqual(many.map(({ n, N }) => ({ n: String(n), N_1: N })))
})

it('takes items of many megabytes', async () => {
  // Spaces: only the length matters, and type detection is fast.
  await itemsToParquet(file, lines([`{"a":1${' '.repeat(40_000_000)}}`]))
  expect((await table()).rows).toEqual([{ a: '1' }])
})

it('writes no file without items, and leaves nothing else behind', async () => {
  expect(await itemsToParquet(file, pages([[]]))).toBe(0)
  expect(await readdir(directory)).toEqual([])
  await itemsToParquet(file, pages([[{ a: 1 }]]))
  expect(await readdir(directory)).toEqual(['items.parquet'])
})

it('keeps the earlier file when it fails', async () => {
  writeFileSync(file, 'before')
  const failing = async function* () {
    yield ['{"a":1}']
    throw new Error('the log is gone')
  }
  await expect(itemsToParquet(file, failing())).rejects.toThrow('the log is gone')
  await expect(itemsToParquet(file, lines(['{"a":']))).rejects.toThrow()
  expect(readFileSync(file, 'utf8')).toBe('before')
  expect(await readdir(directory)).toEqual(['items.parquet'])
})

function pages(items: readonly (readonly object[])[]): AsyncGenerator<readonly string[]> {
  return lines(...items.map((page) => page.map((item) => JSON.stringify(item))))
}

async function* lines(...some: readonly (readonly string[])[]): AsyncGenerator<readonly string[]> {
  yield* some
}

async function table(select = '*'): Promise<{ columns: object; rows: unknown[] }> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  try {
    await connection.run("SET TimeZone = 'UTC'")
    const source = `FROM '${file.replaceAll("'", "''")}'`
    const described = (await connection.runAndReadAll(`DESCRIBE ${source}`)).getRowObjectsJson()
    return {
      columns: Object.fromEntries(described.map((row) => [row['column_name'], row['column_type']])),
      rows: (await connection.runAndReadAll(`SELECT ${select} ${source}`)).getRowObjectsJson(),
    }
  } finally {
    connection.disconnectSync()
    instance.closeSync()
  }
}
