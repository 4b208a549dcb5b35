import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Database } from './database.ts'
import { sqlList } from './session.ts'
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

/** The rows of `seeds` and of all files after `count` seeds, and whether there were files before. */
function staged(count: number, partRows: number, keepLines: boolean) {
  return database.change(async (session) => {
    const folder = join(path, 'seeds')
    const seeds = new StagedSeeds(session, folder, { keepLines, partRows })
    for (let i = 0; i < count; i++) {
      seeds.add(
        `http://h${i}.test:8080/`,
        i >> 1,
        60,
        i === 1 ? '{"a":"b"}' : null,
        keepLines ? `"${i}"` : undefined,
      )
      await seeds.writeFullPart()
    }
    await seeds.close()
    const rowsOf = (relation: string) =>
      session.all(
        `SELECT n::INTEGER AS n, fp = md5_number_upper(url) AS fits, * EXCLUDE (n, fp) FROM ${relation} ORDER BY n`,
      )
    const rows = await rowsOf('seeds')
    const inFiles = existsSync(folder)
    const exported = await rowsOf(`read_parquet(${sqlList(await seeds.files())})`)
    await seeds.remove()
    return { rows, exported, inFiles, left: existsSync(folder) }
  })
}

describe.each([true, false])('with lines: %s', (keepLines) => {
  it.each([0, 1, 2, 3, 4, 5, 8, 9])(
    'has the same rows in parts and files as in one table, with %i seeds',
    async (count) => {
      const table = await staged(count, 20, keepLines)
      const files = await staged(count, 2, keepLines)
      expect(table).toMatchObject({ inFiles: false, left: false })
      expect(files).toMatchObject({ inFiles: count > 4, left: false })
      const rows = Array.from({ length: count }, (_, i) => ({
        n: i,
        fits: true,
        host: `h${i}.test`,
        url: `http://h${i}.test:8080/`,
        score: i >> 1,
        fetch_interval: 60,
        metadata: i === 1 ? '{"a":"b"}' : null,
        ...(keepLines && { line: `"${i}"` }),
      }))
      expect(table.rows).toEqual(rows)
      expect(files.rows).toEqual(rows)
      expect(table.exported).toEqual(rows)
      expect(files.exported).toEqual(rows)
    },
  )
})

it('reports a file that cannot be written, and deletes the rest', async () => {
  await writeFile(join(path, 'seeds'), '')
  const stage = database.change(async (session) => {
    const seeds = new StagedSeeds(session, join(path, 'seeds'), { keepLines: false, partRows: 1 })
    for (let i = 0; i < 3; i++) {
      seeds.add('http://h.test/', 1, 60, null)
      await seeds.writeFullPart()
    }
    await seeds.close()
  })
  await expect(stage).rejects.toMatchObject({ code: 'EEXIST' })
})
