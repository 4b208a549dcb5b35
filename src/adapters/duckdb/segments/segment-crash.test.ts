import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rm, statfs, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type DiskFailure, failingDisk } from '../../../../testing/failing-disk.ts'
import { FakeClock } from '../../../../testing/fake-clock.ts'
import { fetchedPage, listEntry, unparsedPage, writeSegment } from '../../../../testing/segments.ts'
import { type DurableFiles, diskFiles } from '../../../base/durable-files.ts'
import { withoutUndefined } from '../../../base/without-undefined.ts'
import type { PageRecord } from '../../../domain/segment/segment-rows.ts'
import { ParquetSegments } from './parquet-segments.ts'

const NAME = '20270115080000'
const URLS = Array.from({ length: 6 }, (_, i) => `http://a.test/${i}`)
/** Writing a part with all directories: 5 files written and synced, 4 times a name and its directory, then those of crawl_fetch. */
const STEPS_OF_A_PART = 20

let crawl: string
const open: ParquetSegments[] = []

beforeEach(async () => {
  crawl = await mkdtemp(join(tmpdir(), 'segments-'))
})

afterEach(async () => {
  for (const store of open.splice(0)) store.close()
  await rm(crawl, { recursive: true })
})

it.each(Array.from({ length: STEPS_OF_A_PART }, (_, i) => i + 1))(
  'holds whole pages only when killed before step %i of a part',
  async (step) => {
    await writeSegment(
      crawl,
      NAME,
      URLS.map((url) => listEntry(url)),
    )
    const kill = killBefore(STEPS_OF_A_PART + step)
    const appender = await (await openStore(kill.files)).append(NAME)
    const first = [appender.add(fetchedPage('http://a.test/0')), appender.add(fetchedPage('http://a.test/1'))]
    await appender.flush()
    await Promise.all(first)
    void appender.add(fetchedPage('http://a.test/2'))
    void appender.flush()
    await kill.happened

    // The last step of all is only to be sure that the name is on the disk: it is there already.
    const isThere = step === STEPS_OF_A_PART
    const kept = isThere ? URLS.slice(0, 3) : URLS.slice(0, 2)
    const store = await openStore()
    expect(await storedPages(store)).toEqual(kept.map((url) => fetchedPage(url)))
    expect(await remainingUrls(store)).toEqual(URLS.slice(kept.length))

    // Going on clears what was half done, and takes no name twice.
    const again = await store.append(NAME)
    const names = isThere ? ['part-000001-w0.parquet', 'part-000002-w0.parquet'] : ['part-000001-w0.parquet']
    for (const directory of ['content', 'parse_text', 'parse_data', 'crawl_parse', 'crawl_fetch']) {
      expect((await readdir(join(crawl, 'segments', NAME, directory))).sort()).toEqual(names)
    }
    await Promise.all([again.add(fetchedPage('http://a.test/5')), again.flush()])
    await again.close()
    expect(await storedPages(store)).toEqual([...kept, 'http://a.test/5'].map((url) => fetchedPage(url)))
  },
)

it('removes files of a killed process, but not those of an active writer', async () => {
  await writeSegment(crawl, NAME)
  const text = join(crawl, 'segments', NAME, 'parse_text')
  await mkdir(text)
  for (const name of [
    '.part-000004-w0.parquet.tmp',
    'part-000004-w0.parquet',
    '.part-000007-w1.parquet.tmp',
    'part-000007-w1.parquet',
  ]) {
    await writeFile(join(text, name), 'half a file')
  }
  const store = await openStore()
  const appender = await store.append(NAME)
  await Promise.all([appender.add(fetchedPage('http://a.test/0')), appender.flush()])
  await appender.close()
  expect((await readdir(text)).sort()).toEqual([
    '.part-000007-w1.parquet.tmp',
    'part-000007-w1.parquet',
    'part-000008-w0.parquet',
  ])
  expect(await storedPages(store)).toEqual([fetchedPage('http://a.test/0')])
})

it('stores the first pages if the process crashes anywhere, and lists the others as remaining', async () => {
  const page = fc.constantFrom<(url: string) => PageRecord>(fetchedPage, unparsedPage, (url) => ({
    fetch: { url, status: 'fetch_gone', protocolStatus: 'NOTFOUND', fetchedAt: 1, httpStatus: 404 },
  }))
  const pages = fc.array(fc.record({ make: page, flush: fc.boolean() }), { minLength: 1, maxLength: 5 })
  let run = 0
  await fc.assert(
    fc.asyncProperty(pages, fc.integer({ min: 1, max: 50 }), async (plan, dieAt) => {
      const name = String(20_270_115_080_000 + run++)
      const urls = plan.map((_, i) => `http://a.test/${i}`)
      await writeSegment(
        crawl,
        name,
        urls.map((url) => listEntry(url)),
      )
      const kill = killBefore(dieAt)
      const writing = openStore(kill.files).then(async (store) => {
        const appender = await store.append(name)
        for (const [i, { make, flush }] of plan.entries()) {
          void appender.add(make(`http://a.test/${i}`))
          if (flush) await appender.flush()
        }
        await appender.close()
      })
      await Promise.race([kill.happened, writing])
      const store = await openStore()
      const stored = await storedPages(store, name)
      expect(stored).toEqual(plan.slice(0, stored.length).map(({ make }, i) => make(`http://a.test/${i}`)))
      expect(await remainingUrls(store, name)).toEqual(urls.slice(stored.length))
    }),
    { numRuns: 15 },
  )
}, 30_000)

it('reports a full disk, keeps the written pages, and continues when there is space', async () => {
  await writeSegment(
    crawl,
    NAME,
    URLS.map((url) => listEntry(url)),
  )
  let full = false
  const files: DurableFiles = {
    ...diskFiles,
    sync: async (path) => {
      if (full) throw Object.assign(new Error('ENOSPC: no space left on device, fsync'), { code: 'ENOSPC' })
      await diskFiles.sync(path)
    },
  }
  const store = await openStore(files)
  const appender = await store.append(NAME)
  await Promise.all([appender.add(fetchedPage('http://a.test/0')), appender.flush()])
  full = true
  const lost = appender.add(fetchedPage('http://a.test/1'))
  await expect(appender.flush()).rejects.toMatchObject({ code: 'RESOURCES_EXHAUSTED' })
  await expect(lost).rejects.toThrow(`no room left on the disk of ${crawl}`)
  await expect(appender.add(fetchedPage('http://a.test/2'))).rejects.toMatchObject({
    code: 'RESOURCES_EXHAUSTED',
  })
  await expect(appender.room()).rejects.toMatchObject({ code: 'RESOURCES_EXHAUSTED' })
  await expect(appender.close()).rejects.toMatchObject({ code: 'RESOURCES_EXHAUSTED' })
  expect(await readdir(join(crawl, 'segments', NAME, 'content'))).toEqual(['part-000001-w0.parquet'])

  full = false
  const again = await store.append(NAME)
  await Promise.all([again.add(fetchedPage('http://a.test/1')), again.flush()])
  await again.close()
  expect(await storedPages(store)).toEqual([fetchedPage('http://a.test/0'), fetchedPage('http://a.test/1')])
})

it.each<[DiskFailure, number]>([
  ...[1, 3, 5].map((n): [DiskFailure, number] => ['short write', n]),
  ...[1, 3, 5].map((n): [DiskFailure, number] => ['write', n]),
  ...[1, 5, 6, 9].map((n): [DiskFailure, number] => ['sync', n]),
  ...[1, 4, 5].map((n): [DiskFailure, number] => ['rename', n]),
])('loses no committed page and commits no broken one when %s %i of a part fails', async (failure, n) => {
  const kept = URLS[0] ?? ''
  await writeSegment(
    crawl,
    NAME,
    URLS.map((url) => listEntry(url)),
  )
  const before = await (await openStore()).append(NAME)
  await Promise.all([before.add(fetchedPage(kept)), before.flush()])
  await before.close()

  const appender = await (await openStore(failingDisk(failure, n))).append(NAME)
  const lost = appender.add(fetchedPage('http://a.test/1'))
  await expect(appender.flush()).rejects.toThrow()
  await expect(lost).rejects.toThrow()
  await expect(appender.close()).rejects.toThrow()

  const store = await openStore()
  expect(await storedPages(store)).toEqual([fetchedPage(kept)])
  expect(await remainingUrls(store)).toEqual(URLS.slice(1))
  const again = await store.append(NAME)
  await Promise.all([again.add(fetchedPage('http://a.test/1')), again.flush()])
  await again.close()
  expect(await storedPages(store)).toEqual([fetchedPage(kept), fetchedPage('http://a.test/1')])
})

it('commits a part completely or not at all, with any amount of free space', async ({ skip }) => {
  const disk = join(crawl, 'disk')
  await mkdir(disk)
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk], { stdio: 'ignore' })
  } catch {
    return skip('a full disk was not tried: mounting a small one needs root')
  }
  try {
    // Rows that do not compress: the file of crawl_fetch, which is written last, has many blocks of the disk.
    const urls = Array.from({ length: 300 }, () => `http://a.test/${randomBytes(150).toString('base64url')}`)
    const gone = (url: string): PageRecord => ({
      fetch: { url, status: 'fetch_gone', protocolStatus: 'NOTFOUND', fetchedAt: 1, httpStatus: 404 },
    })
    let refused = 0
    let written = 0
    for (let blocks = 0; written === 0; blocks += 3) {
      const name = String(20_270_115_080_000 + blocks)
      await writeSegment(disk, name, [listEntry('http://a.test/')])
      const store = await openStore(diskFiles, disk)
      const appender = await store.append(name)
      const filler = await fillDisk(disk, blocks)
      const added = Promise.allSettled(urls.map((url) => appender.add(gone(url))))
      const failure = await appender.flush().then(
        () => undefined,
        (error: unknown) => error,
      )
      await added
      await appender.close().catch(() => {})
      if (failure !== undefined) expect(failure).toMatchObject({ code: 'RESOURCES_EXHAUSTED' })
      const { fetched } = await store.info(name)
      expect(fetched).toBe(failure === undefined ? urls.length : 0)
      if (failure === undefined) written++
      else refused++
      await rm(filler)
      await store.remove(name)
    }
    expect(refused).toBeGreaterThan(2)
  } finally {
    for (const store of open.splice(0)) store.close()
    execFileSync('umount', [disk])
  }
})

it('survives a disk that is really full', async ({ skip }) => {
  const disk = join(crawl, 'disk')
  await mkdir(disk)
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk], { stdio: 'ignore' })
  } catch {
    return skip('mounting a small disk needs root')
  }
  try {
    await writeSegment(
      disk,
      NAME,
      URLS.map((url) => listEntry(url)),
    )
    const store = await openStore(diskFiles, disk)
    const appender = await store.append(NAME)
    await Promise.all([appender.add(fetchedPage('http://a.test/0')), appender.flush()])
    const page = unparsedPage('http://a.test/1')
    const content = page.content && { ...page.content, body: randomBytes(2 * 1024 * 1024) }
    const lost = appender.add({ ...page, ...withoutUndefined({ content }) })
    await expect(appender.flush()).rejects.toMatchObject({ code: 'RESOURCES_EXHAUSTED' })
    await expect(lost).rejects.toMatchObject({ code: 'RESOURCES_EXHAUSTED' })
    await expect(appender.close()).rejects.toThrow()
    expect(await storedPages(store)).toEqual([fetchedPage('http://a.test/0')])
    expect(await remainingUrls(store)).toEqual(URLS.slice(1))
  } finally {
    for (const store of open.splice(0)) store.close()
    execFileSync('umount', [disk])
  }
})

/** Leaves so many blocks of 4 KiB free. Returns the file that takes up the rest. */
async function fillDisk(disk: string, blocks: number): Promise<string> {
  const { bavail, bsize } = await statfs(disk)
  const filler = join(disk, 'filler')
  await writeFile(filler, Buffer.alloc(bavail * bsize - blocks * 4_096))
  return filler
}

async function openStore(files = diskFiles, directory = crawl): Promise<ParquetSegments> {
  const store = await ParquetSegments.open(directory, { clock: new FakeClock(), threads: 1, files })
  open.push(store)
  return store
}

/** The file system of a process that is killed before its nth step: that step and all later ones never end. */
function killBefore(n: number): { readonly files: DurableFiles; readonly happened: Promise<void> } {
  const { promise: happened, resolve } = Promise.withResolvers<void>()
  let step = 0
  const alive = async (): Promise<void> => {
    if (++step < n) return
    resolve()
    await new Promise<never>(() => undefined)
  }
  return {
    happened,
    files: {
      write: async (path, pieces) => {
        await alive()
        await diskFiles.write(path, pieces)
      },
      sync: async (path) => {
        await alive()
        await diskFiles.sync(path)
      },
      rename: async (from, to) => {
        await alive()
        await diskFiles.rename(from, to)
      },
    },
  }
}

async function storedPages(store: ParquetSegments, name = NAME): Promise<PageRecord[]> {
  const pages: PageRecord[] = []
  for await (const batch of store.pages([name])) {
    for (const { segment: _, ...page } of batch) pages.push(page)
  }
  return pages
}

/** In the order of their names: theirs is none. */
async function remainingUrls(store: ParquetSegments, name = NAME): Promise<string[]> {
  const urls: string[] = []
  for await (const batch of store.remaining(name)) urls.push(...batch.map(({ url }) => url))
  return urls.sort()
}
