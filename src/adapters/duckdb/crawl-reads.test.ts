import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TestCrawl } from '../../../testing/crawl-directory.ts'
import { CrawlReads } from './crawl-reads.ts'
import type { CrawlDirectory } from './open-crawl-directory.ts'

const A = 'http://a.test/'

describe('CrawlReads', () => {
  let crawl: TestCrawl
  let reads: CrawlReads
  beforeEach(async () => {
    crawl = await TestCrawl.create()
    await crawl.inject([A])
    reads = new CrawlReads(crawl.path, { clock: crawl.clock, memoryMb: 128, idleMs: 3_600_000 })
  })
  afterEach(async () => {
    await reads.close()
    await crawl.remove()
  })

  /** Another process that opens the crawl for writing, prints a line, and closes it when it gets one. */
  function startWriter() {
    const script = `
      import { openCrawlDirectory } from ${JSON.stringify(join(import.meta.dirname, 'open-crawl-directory.ts'))}
      const directory = await openCrawlDirectory(${JSON.stringify(crawl.path)}, { command: 'writer', memoryMb: 128 })
      console.log('open')
      process.stdin.once('data', async () => { await directory.close(); process.exit(0) })`
    return spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
  }

  const total = async ({ db }: CrawlDirectory) => (await db.stats()).total

  it('reads the present state from the owner, and names it', async () => {
    expect(await reads.read(total)).toEqual({
      asOf: crawl.clock.now(),
      owner: expect.objectContaining({ pid: process.pid, command: 'test' }),
      value: 1,
    })
    await crawl.inject(['http://b.test/'])
    expect((await reads.read(total)).value).toBe(2)
  })

  it('reads the files when there is no owner, and shares them among readers', async () => {
    await crawl.directory.close()
    const all = await Promise.all(Array.from({ length: 20 }, () => reads.read(total)))
    expect(new Set(all.map(({ value }) => value))).toEqual(new Set([1]))
    expect(all[0]).not.toHaveProperty('owner')
    await reads.close()
    await crawl.reopenClosed()
  })

  it('lets go of the files for a process that wants to write, and then reads from it', async () => {
    await crawl.directory.close()
    await reads.read(total)
    const writer = startWriter()
    const opened = once(writer.stdout, 'data')
    let isOpen = false
    void opened.then(() => {
      isOpen = true
    })
    // The page of a dashboard reads again and again.
    while (!isOpen) expect((await reads.read(total)).value).toBe(1)
    expect(await reads.read(total)).toMatchObject({ value: 1, owner: { command: 'writer', pid: writer.pid } })
    writer.stdin.end('x')
    await once(writer, 'exit')
    expect(await reads.read(total)).toEqual({ asOf: crawl.clock.now(), value: 1 })
    await reads.close()
    await crawl.reopenClosed()
  })

  it('closes files that are not used any more', async () => {
    await crawl.directory.close()
    const soon = new CrawlReads(crawl.path, { memoryMb: 128, idleMs: 0 })
    expect((await soon.read(total)).value).toBe(1)
    const writer = startWriter()
    await once(writer.stdout, 'data')
    writer.stdin.end('x')
    await once(writer, 'exit')
    await soon.close()
    await crawl.reopenClosed()
  })

  it('has no value where there is no database', async () => {
    const empty = new CrawlReads(join(crawl.path, 'nowhere'))
    expect(await empty.read(total)).toEqual({})
  })

  it('repeats what the end of the owner interrupted', async () => {
    let calls = 0
    const read = reads.read(async (directory) => {
      if (++calls === 1) await crawl.directory.close()
      return total(directory)
    })
    expect((await read).value).toBe(1)
    expect(calls).toBe(2)
    await reads.close()
    await crawl.reopenClosed()
  })

  it('passes other errors on', async () => {
    await expect(reads.read(({ reader }) => reader.sql('no sql'))).rejects.toMatchObject({
      code: 'QUERY_INVALID',
    })
    rmSync(join(crawl.path, '.control'), { recursive: true })
  })
})
