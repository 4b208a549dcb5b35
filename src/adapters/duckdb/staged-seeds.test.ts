import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Database } from './database.ts'
import { StagedSeeds } from './staged-seeds.ts'

let path: string
let database: Database
beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'orbweaver-'))
  database = await Database.open(':memory:', {}, path)
})
afterEach(async () => {
  await database.close()
  await rm(path, { recursive: true })
})

/** The rows of `seeds` after `count` seeds, and whether there were files meanwhile. */
function staged(count: number, partRows: number) {
  return database.change(async (session) => {
    const folder = join(path, 'seeds')
    const seeds = new StagedSeeds(session, folder, { keepLines: true, partRows })
    for (let i = 0; i < count; i++) {
      if (seeds.isFull) await seeds.makeRoom()
      seeds.add(`http://h${i}.test:8080/`, i, 60, i === 1 ? '{"a":"b"}' : null, `"${i}"`)
    }
    await seeds.close()
    const rows = await session.all(
      'SELECT n::INTEGER AS n, fp = md5_number_upper(url) AS fits, host, url, score, fetch_interval, metadata, line FROM seeds ORDER BY n',
    )
    const inFiles = existsSync(folder)
    await seeds.remove()
    return { rows, inFiles, left: existsSync(folder) }
  })
}

it.each([0, 1, 2, 3, 5])('has the same rows in files as in a table, with %i seeds', async (count) => {
  const table = await staged(count, 10)
  const files = await staged(count, 2)
  expect(table).toMatchObject({ inFiles: false, left: false })
  expect(files).toMatchObject({ inFiles: count > 2, left: false })
  expect(files.rows).toEqual(table.rows)
  expect(table.rows).toHaveLength(count)
  if (count > 1)
    expect(table.rows[1]).toMatchObject({
      n: 1,
      fits: true,
      host: 'h1.test',
      metadata: '{"a":"b"}',
      line: '"1"',
    })
})
