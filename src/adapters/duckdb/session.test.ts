import { DOUBLE, DuckDBInstance, VARCHAR } from '@duckdb/node-api'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hostOf } from '../../domain/url/host-of.ts'
import { hostSql } from './new-urls.ts'
import { Session } from './session.ts'

let session: Session
beforeEach(async () => {
  session = new Session(await (await DuckDBInstance.create()).connect())
})
afterEach(() => session.close())

describe('batches', () => {
  it.each([false, true])('gives every row of a table, in its order (in a transaction: %s)', async (begun) => {
    if (begun) await session.begin()
    await session.run(
      'CREATE TEMP TABLE numbers AS SELECT i::DOUBLE AS i, NULL::VARCHAR AS nothing FROM range(50000) t(i)',
    )
    const sizes: number[] = []
    let next = 0
    for await (const batch of session.batches<{ i: number; nothing: string | null }>('numbers')) {
      sizes.push(batch.length)
      for (const row of batch) if (row.i !== next++ || row.nothing !== null) throw new Error(`row ${row.i}`)
    }
    expect(sizes).toEqual([...Array.from({ length: 24 }, () => 2_048), 848])
  })

  it('yields no batch for an empty table', async () => {
    await session.run('CREATE TEMP TABLE empty (i DOUBLE)')
    expect(await session.batches('empty').next()).toMatchObject({ done: true })
  })
})

describe('stream', () => {
  it('gives back its memory when it is not read to its end', async () => {
    const instance = await DuckDBInstance.create()
    const [streaming, other] = [new Session(await instance.connect()), new Session(await instance.connect())]
    const used = () =>
      other.one<{ bytes: number }>('SELECT sum(memory_usage_bytes)::DOUBLE AS bytes FROM duckdb_memory()')
    const sorted = streaming.stream('SELECT i, hash(i) AS h FROM range(1000000) t(i) ORDER BY h')
    expect((await sorted.next()).done).toBe(false)
    expect((await used()).bytes).toBeGreaterThan(10_000_000)
    await sorted.return(undefined)
    expect((await used()).bytes).toBeLessThan(1_000_000)
    streaming.close()
    other.close()
  })
})

describe('stage', () => {
  it('takes rows that fill several chunks, and null', async () => {
    const table = await session.stage('staged', { n: DOUBLE, text: VARCHAR })
    for (let i = 0; i < 5000; i++) table.add(i, i % 2 === 0 ? `row ${i}` : null)
    table.close()
    const row = await session.one(
      'SELECT count(*)::DOUBLE AS rows, count(text)::DOUBLE AS texts, sum(n) AS sum FROM staged',
    )
    expect(row).toEqual({ rows: 5000, texts: 2500, sum: 12_497_500 })
  })
})

describe('hostSql', () => {
  it.each([
    'http://a.test/',
    'https://www.a.test:8443/x/y:1?z=http://b.test:1/',
    'http://127.0.0.1:80/',
    'http://[::1]/',
    'http://[2001:db8::1]:8080/x',
  ])('is what hostOf says: %s', async (url) => {
    const { host } = await session.one<{ host: string }>(
      `SELECT ${hostSql('url')} AS host FROM (SELECT $1::VARCHAR AS url)`,
      [url],
    )
    expect(host).toBe(hostOf(url))
  })
})
