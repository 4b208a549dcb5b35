import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ByteBuffer, ByteReader } from './byte-buffer.ts'
import { ParquetTable, type Row, type RowColumns } from './parquet-table.ts'

const COLUMNS = {
  name: 'VARCHAR',
  body: 'BLOB',
  share: 'DOUBLE',
  large: 'BIGINT',
  small: 'INTEGER',
  truth: 'BOOLEAN',
  texts: 'VARCHAR[]',
  headers: 'STRUCT("name" VARCHAR, "value" VARCHAR)[]',
} as const

let directory: string
/** The one that was written last. */
let file: string
let files = 0
let instance: DuckDBInstance
let connection: DuckDBConnection
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'parquet-'))
  instance = await DuckDBInstance.create()
  connection = await instance.connect()
})
afterAll(() => {
  connection.disconnectSync()
  instance.closeSync()
  rmSync(directory, { recursive: true })
})

/** As DuckDB reads them; bytes as hex. */
async function readBack(
  rows: readonly Row<typeof COLUMNS>[],
  added: (table: ParquetTable<typeof COLUMNS>) => void = () => {},
) {
  const table = new ParquetTable(COLUMNS)
  for (const row of rows) {
    table.add(row)
    added(table)
  }
  // Another one each time: DuckDB remembers what it has read of a file.
  file = join(directory, `table-${++files}.parquet`)
  writeFileSync(file, Buffer.concat(await table.finish()))
  const result = await connection.run(`SELECT * REPLACE (hex(body) AS body) FROM '${file}'`)
  return result.getRowObjectsJson()
}

function expected(row: Row<typeof COLUMNS>) {
  return {
    name: row.name?.toWellFormed() ?? null,
    body: row.body === undefined ? null : Buffer.from(row.body).toString('hex').toUpperCase(),
    share: row.share ?? null,
    large: row.large === undefined ? null : String(row.large),
    small: row.small ?? null,
    truth: row.truth ?? null,
    texts: row.texts?.map((text) => text.toWellFormed()) ?? null,
    headers:
      row.headers?.map(([name, value]) => ({ name: name.toWellFormed(), value: value.toWellFormed() })) ??
      null,
  }
}

/** Without a byte order mark in front, which the reader of DuckDB drops. */
const text = fc.string({ unit: 'binary' }).map((any) => any.replace(/^\ufeff+/, ''))
const anyRow: fc.Arbitrary<Row<typeof COLUMNS>> = fc.record({
  name: fc.option(text, { nil: undefined }),
  body: fc.option(fc.uint8Array(), { nil: undefined }),
  share: fc.option(
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n + 0),
    { nil: undefined },
  ),
  large: fc.option(fc.maxSafeInteger(), { nil: undefined }),
  small: fc.option(fc.integer(), { nil: undefined }),
  truth: fc.option(fc.boolean(), { nil: undefined }),
  texts: fc.option(fc.array(text), { nil: undefined }),
  headers: fc.option(fc.array(fc.tuple(text, text)), { nil: undefined }),
})

/** Its text is there and ASCII, as most are. */
const plainRow = fc
  .tuple(anyRow, fc.constantFrom(0, -0))
  .map(([row, share]) => ({ ...row, name: row.name?.replaceAll(/[^ -~]/g, '') ?? '', share }))

function columnsOf(rows: readonly Row<typeof COLUMNS>[]): RowColumns<typeof COLUMNS> {
  return {
    name: rows.map(({ name }) => name),
    body: rows.map(({ body }) => body),
    share: rows.map(({ share }) => share),
    large: rows.map(({ large }) => large),
    small: rows.map(({ small }) => small),
    truth: rows.map(({ truth }) => truth),
    texts: rows.map(({ texts }) => texts),
    headers: rows.map(({ headers }) => headers),
  }
}

describe('ParquetTable', () => {
  it('is read by DuckDB as it was written, whatever is missing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyRow, { maxLength: 40 }), async (rows) => {
        expect(await readBack(rows)).toEqual(rows.map(expected))
      }),
      { numRuns: 60 },
    )
  })

  it('makes the same file of rows that other tables packed, whatever the pieces', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(anyRow, { maxLength: 12 }), { maxLength: 5 }), async (pieces) => {
        const whole = new ParquetTable(COLUMNS)
        const joined = new ParquetTable(COLUMNS)
        const maker = new ParquetTable(COLUMNS)
        for (const piece of pieces) {
          for (const row of piece) {
            whole.add(row)
            maker.add(row)
          }
          const packed = new ByteBuffer()
          maker.pack(packed)
          joined.addPacked(new ByteReader(packed.view()))
        }
        expect(joined.rows).toBe(pieces.flat().length)
        expect(Buffer.concat(await joined.finish())).toEqual(Buffer.concat(await whole.finish()))
      }),
      { numRuns: 60 },
    )
  })

  it('makes the same file of columns as of rows, with runs of equal values', async () => {
    const repeated = fc.tuple(anyRow, fc.integer({ min: 1, max: 9 })).map(([row, n]) => Array(n).fill(row))
    const someRows = fc.array(fc.oneof(repeated, fc.array(plainRow, { maxLength: 9 })), { maxLength: 3 })
    await fc.assert(
      fc.asyncProperty(fc.array(someRows, { maxLength: 3 }), async (pieces) => {
        const byRow = new ParquetTable(COLUMNS)
        const byColumn = new ParquetTable(COLUMNS)
        for (const piece of pieces) {
          const rows: readonly Row<typeof COLUMNS>[] = piece.flat()
          for (const row of rows) byRow.add(row)
          byColumn.addColumns(rows.length, columnsOf(rows))
        }
        expect(byColumn.rows).toBe(byRow.rows)
        expect(Buffer.concat(await byColumn.finish())).toEqual(Buffer.concat(await byRow.finish()))
      }),
      { numRuns: 200 },
    )
  })

  it('is read as it was written when pages were compressed while rows were added', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(anyRow, { maxLength: 9 }), { maxLength: 5 }),
        fc.nat(40),
        async (pieces, pageBytes) => {
          const compress = (table: ParquetTable<typeof COLUMNS>) => table.compressPages(pageBytes)
          const rows = pieces.flat()
          expect(await readBack(rows, compress)).toEqual(rows.map(expected))
        },
      ),
      { numRuns: 60 },
    )
  })

  it('takes less memory once full pages are compressed', async () => {
    const table = new ParquetTable({ name: 'VARCHAR', body: 'BLOB' })
    for (let n = 0; n < 20; n++) {
      table.add({ name: `page ${n}`, body: new Uint8Array(100_000).fill(n) })
      table.compressPages()
    }
    const raw = table.bytes
    expect(raw).toBeGreaterThan(2_000_000)
    await table.finish()
    expect(table.bytes).toBe(raw)
    expect(table.memoryBytes).toBeLessThan(raw / 4)
    table.clear()
    expect(table.memoryBytes).toBe(0)
  })

  it('makes the same file again after one was made and cleared, of columns large and small', async () => {
    const table = new ParquetTable({ name: 'VARCHAR', body: 'BLOB' })
    const noise = Uint8Array.from({ length: 100_000 }, (_, i) => (i * i * 31) >> 7)
    const made: Buffer[] = []
    for (let n = 0; n < 2; n++) {
      for (const body of [noise, new Uint8Array(1_000_000)]) table.add({ name: 'a', body })
      made.push(Buffer.concat(await table.finish()))
      table.clear()
    }
    expect(made[0]?.equals(made[1] ?? Buffer.of())).toBe(true)
  })

  it('has the types it was told', async () => {
    await readBack([])
    const described = await (await connection.run(`DESCRIBE SELECT * FROM '${file}'`)).getRowObjectsJson()
    expect(Object.fromEntries(described.map((row) => [row['column_name'], row['column_type']]))).toEqual(
      COLUMNS,
    )
  })

  it('writes half a surrogate pair as U+FFFD', async () => {
    const [row] = await readBack([{ ...NOTHING, name: 'a\ud800b' }])
    expect(row).toMatchObject({ name: 'a\ufffdb' })
  })

  it('holds many rows, long values and long lists', async () => {
    const rows = Array.from({ length: 3_000 }, (_, i) => ({
      ...NOTHING,
      name: `http://a.test/${i}`,
      truth: i % 3 === 0,
      texts: i === 7 ? Array.from({ length: 20_000 }, (_, n) => `link ${n}`) : undefined,
      body: i === 9 ? new Uint8Array(3_000_000).fill(7) : undefined,
    }))
    expect(await readBack(rows)).toEqual(rows.map(expected))
  })
})

const NOTHING: Row<typeof COLUMNS> = {
  ...{ name: undefined, body: undefined, share: undefined, large: undefined },
  ...{ small: undefined, truth: undefined, texts: undefined, headers: undefined },
}
