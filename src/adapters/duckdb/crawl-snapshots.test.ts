import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TestCrawl } from '../../../testing/crawl-directory.ts'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { CrawlSnapshots } from './crawl-snapshots.ts'
import type { CrawlDirectory } from './open-crawl-directory.ts'

let crawl: TestCrawl
let clock: FakeClock
let snapshots: CrawlSnapshots

beforeEach(async () => {
  crawl = await TestCrawl.create()
  clock = new FakeClock()
  snapshots = new CrawlSnapshots(crawl.path, { clock, memoryMb: 128 })
})
afterEach(async () => {
  await snapshots.close()
  await crawl.remove()
})

const total = async ({ db }: Pick<CrawlDirectory, 'db'>) => (await db.stats()).total

/** Releases the lock of the crawl while `work` runs. */
async function whileFree(work: () => Promise<void>): Promise<void> {
  await crawl.directory.close()
  await work()
  await crawl.reopen()
}

describe('CrawlSnapshots', () => {
  it('shows the present state, and the new state after a change', async () => {
    await crawl.inject(['http://a.test/'])
    await whileFree(async () => {
      expect(await snapshots.read(total)).toEqual({ asOf: clock.now(), value: 1 })
    })
    await crawl.inject(['http://b.test/', 'http://c.test/'])
    clock.advance(1000)
    await whileFree(async () => {
      expect(await snapshots.read(total)).toEqual({ asOf: clock.now(), value: 3 })
      clock.advance(1000)
      expect((await snapshots.read(total)).asOf).toBe(clock.now())
    })
  })

  it('shows the last state while a process holds the lock, and that process', async () => {
    await crawl.inject(['http://a.test/'])
    await whileFree(async () => {
      await snapshots.read(total)
    })
    const seen = clock.now()
    clock.advance(60_000)
    await crawl.inject(['http://b.test/'])
    expect(await snapshots.read(total)).toMatchObject({
      ...{ asOf: seen, value: 1 },
      owner: { command: 'test', pid: process.pid },
    })
  })

  it('has no value before the first snapshot', async () => {
    const result = await snapshots.read(total)
    expect(result).toEqual({ owner: expect.objectContaining({ command: 'test' }) })
  })

  it('has nothing to show where there is no database', async () => {
    const empty = new CrawlSnapshots(mkdtempSync(join(tmpdir(), 'orbweaver-empty-')), { clock })
    expect(await empty.read(total)).toEqual({})
  })

  it('discards a copy if a process took the lock while it was made', async () => {
    await crawl.inject(['http://a.test/'])
    let comesIn = async (): Promise<void> => {}
    const copy = async (from: string, to: string) => {
      await copyFile(from, to)
      await comesIn()
    }
    const reopened = new CrawlSnapshots(crawl.path, { clock, memoryMb: 128, copy })
    await crawl.directory.close()
    comesIn = () => crawl.reopen()
    expect(await reopened.read(total)).toEqual({ owner: expect.objectContaining({ command: 'test' }) })
    await crawl.directory.close()
    // And if a process took the lock, changed the database and released it.
    comesIn = async () => {
      comesIn = async () => {}
      await crawl.reopen()
      await crawl.inject(['http://b.test/'])
      await crawl.directory.close()
    }
    expect(await reopened.read(total)).toEqual({})
    expect(await reopened.read(total)).toEqual({ asOf: clock.now(), value: 2 })
    await reopened.close()
    expect(readdirSync(crawl.path).filter((name) => name.startsWith('.snapshot-'))).toEqual([])
    await crawl.reopen()
  })

  it('ignores the lock of a dead process and reads its write-ahead log', async () => {
    const killed = mkdtempSync(join(tmpdir(), 'orbweaver-killed-'))
    await crawl.inject(['http://a.test/', 'http://b.test/'])
    // What a kill leaves: the files as they are, and a lock whose owner is gone.
    for (const name of readdirSync(crawl.path).filter((file) => file.startsWith('crawldb')))
      copyFileSync(join(crawl.path, name), join(killed, name))
    expect(existsSync(join(killed, 'crawldb.duckdb.wal'))).toBe(true)
    const { pid } = spawnSync(process.execPath, ['--version'])
    writeFileSync(
      join(killed, 'lock'),
      JSON.stringify({ pid, host: hostname(), since: '2026', command: 'crawl' }),
    )
    const reopened = new CrawlSnapshots(killed, { clock })
    expect(await reopened.read(total)).toEqual({ asOf: clock.now(), value: 2 })
    await reopened.close()
    rmSync(killed, { recursive: true })
  })

  it('keeps a snapshot open while it is read, and deletes its files afterwards', async () => {
    await crawl.inject(['http://a.test/'])
    await whileFree(async () => {
      mkdirSync(join(crawl.path, '.snapshot-999999999-left'))
      const { value } = await snapshots.read(async (old) => {
        // The copy has no name any more.
        const [folder = ''] = readdirSync(crawl.path).filter((name) => name.startsWith('.snapshot-'))
        expect(readdirSync(join(crawl.path, folder))).toEqual([])
        await crawl.reopen()
        await crawl.inject(['http://b.test/'])
        await crawl.directory.close()
        const { value: renewed } = await snapshots.read(total)
        return [await total(old), renewed]
      })
      expect(value).toEqual([1, 2])
      await snapshots.close()
      expect(readdirSync(crawl.path).filter((name) => name.startsWith('.snapshot-'))).toEqual([])
    })
  })
})
