import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TestCrawl } from '../../testing/crawl-directory.ts'
import { allTables, fillEveryTable } from '../../testing/exchanged-crawl.ts'
import { defaultRules } from '../../testing/rule-sets.ts'
import { findSpark } from '../../testing/spark.ts'
import { testSparkOptions } from '../../testing/spark-stores.ts'
import { convertCrawlDb } from './convert-crawl-db.ts'

let crawl: TestCrawl
beforeEach(async () => {
  crawl = await TestCrawl.create()
})
afterEach(() => crawl.remove())

const has = (name: string) => existsSync(join(crawl.path, name))

it('refuses a directory without a crawl, and one with a spider, without starting Spark', async () => {
  const options = { dir: crawl.path, command: 'test', to: 'spark' } as const
  await expect(convertCrawlDb(options)).rejects.toMatchObject({ code: 'CRAWL_DIRECTORY_LOCKED' })
  const frontier = crawl.directory.frontier({ rules: defaultRules })
  await frontier.add([{ url: 'http://a.test/', handler: 'page', depth: 0 }])
  await frontier.close()
  await crawl.directory.close()
  await expect(convertCrawlDb(options)).rejects.toMatchObject({ code: 'CRAWL_MISMATCH' })
  expect(await convertCrawlDb({ ...options, to: 'duckdb' })).toBeUndefined()
  await expect(convertCrawlDb({ ...options, dir: join(crawl.path, 'segments') })).rejects.toMatchObject({
    code: 'CRAWL_DIRECTORY_MISSING',
  })
  await crawl.reopenClosed()
})

describe.skipIf(!findSpark().ok)('with Spark', { timeout: 900_000 }, () => {
  let child: ChildProcess | undefined
  afterEach(() => child?.kill('SIGKILL'))

  it('moves every row to Spark and back, also after a conversion that was killed', async () => {
    await fillEveryTable(crawl)
    const before = await allTables(crawl.directory)
    await crawl.directory.close()
    const engine = { spark: testSparkOptions({ master: 'local[2]' }) }
    const config = join(crawl.path, 'config.json')
    writeFileSync(config, JSON.stringify({ engine }))
    const options = { dir: crawl.path, command: 'test', settings: { engine } } as const

    const args = ['db', 'convert', crawl.path, '--to', 'spark', '--config', config]
    child = spawn(process.execPath, ['testing/orbweaver-process.ts', ...args], { stdio: 'ignore' })
    const exited = once(child, 'exit')
    // Some tables are written, and the version is not installed.
    const isWriting = () =>
      has('crawldb/versions') && readdirSync(join(crawl.path, 'crawldb/versions/1')).length > 2
    for (let polls = 0; !isWriting() && child.exitCode === null && polls < 6_000; polls++) await sleep(50)
    child.kill('SIGKILL')
    expect((await exited)[1]).toBe('SIGKILL')
    expect(has('engine.json')).toBe(false)
    await crawl.reopenClosed()
    expect(await allTables(crawl.directory)).toEqual(before)
    await crawl.directory.close()

    expect(await convertCrawlDb({ ...options, to: 'spark' })).toMatchObject({
      rows: { unfinished_indexes: 1 },
      old: join(crawl.path, 'crawldb.duckdb'),
    })
    expect(has('engine.json')).toBe(true)
    expect(has('crawldb.duckdb')).toBe(false)
    await expect(crawl.reopenClosed()).rejects.toMatchObject({ code: 'CRAWL_MISMATCH' })
    expect(await convertCrawlDb({ ...options, to: 'spark' })).toBeUndefined()

    await convertCrawlDb({ ...options, to: 'duckdb', keep: true })
    expect([has('engine.json'), has('crawldb/current.json')]).toEqual([false, true])
    await crawl.reopenClosed()
    expect(await allTables(crawl.directory)).toEqual(before)
  })
})
