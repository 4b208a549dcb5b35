import { mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FakeClock } from '../../testing/fake-clock.ts'
import { requireS3Server } from '../../testing/require-s3-server.ts'
import { segmentStoreContract } from '../../testing/segment-store-contract.ts'
import { fetchedPage, listEntry, writeSegment } from '../../testing/segments.ts'
import { useS3 } from '../../testing/use-s3.ts'
import { ObjectSegmentFolder } from '../adapters/crawl-directory/object-segments/object-segment-folder.ts'
import { lockHolderName, workerName } from '../adapters/crawl-directory/segment-files.ts'
import { ParquetSegments } from '../adapters/duckdb/segments/parquet-segments.ts'
import { openObjectStore } from '../adapters/object-store/open-object-store.ts'
import { type DurableFiles, diskFiles } from '../base/durable-files.ts'
import { type ObjectStore, ObjectStoreUnavailable } from '../domain/object-store/object-store.ts'
import type { PageRecord } from '../domain/segment/segment-rows.ts'

const NAME = '20270115080000'
const URLS = ['http://a.test/1', 'http://a.test/2', 'http://b.test/1']

describe.runIf(requireS3Server())('object segments', () => {
  const s3 = useS3()

  segmentStoreContract('in an object store, without room for copies', async () => {
    const crawl = await mkdtemp(join(tmpdir(), 'segments-'))
    const store = await openObjectStore(s3.newPlace())
    // Each process has its own directory, and nothing stays there: all that is read comes from the store.
    let machines = 0
    const folderOf = (directory: string) => new ObjectSegmentFolder(join(directory, 'segments'), store, 0)
    return {
      crawl,
      async open(options) {
        const directory = join(crawl, `machine-${++machines}`)
        await mkdir(directory)
        return ParquetSegments.open(directory, {
          ...{ clock: new FakeClock(), threads: 1, folder: folderOf(directory), ...options },
        })
      },
      async newSegment(name, ...lists) {
        await writeSegment(crawl, name, ...lists)
        await folderOf(crawl).publish(name)
      },
      async close() {
        await store.close()
        await rm(crawl, { recursive: true })
      },
    }
  })

  describe('ObjectSegmentFolder', () => {
    let machines: string
    let store: ObjectStore
    const opened: ParquetSegments[] = []

    beforeEach(async () => {
      machines = await mkdtemp(join(tmpdir(), 'segments-'))
      store = await openObjectStore(s3.newPlace())
    })

    afterEach(async () => {
      for (const segments of opened.splice(0)) segments.close()
      await store.close()
      await rm(machines, { recursive: true })
    })

    it('shows a part when its crawl_fetch is put, and not before', async () => {
      const here = await machine('here')
      await here.newSegment()
      const order: string[] = []
      const seen: number[] = []
      const there = await machine('there')
      const watched = withPut(store, async (key, put) => {
        order.push(key.split('/').at(1) ?? key)
        seen.push((await there.segments.info(NAME)).fetched)
        return put()
      })
      const writer = await machine('writer', { store: watched })
      await writer.add(URLS.map((url) => fetchedPage(url)))
      expect(order.slice(0, -1).toSorted()).toEqual(['content', 'crawl_parse', 'parse_data', 'parse_text'])
      expect(order.at(-1)).toBe('crawl_fetch')
      expect(seen).toEqual([0, 0, 0, 0, 0])
      expect(await there.segments.info(NAME)).toMatchObject({ fetched: 3, complete: true })
      await store.delete([`${NAME}/crawl_fetch/part-000001-writer.parquet`])
      expect(await there.segments.info(NAME)).toMatchObject({ fetched: 0, parsed: 0 })
      expect(await there.pages()).toEqual([])
    })

    it('keeps fetched pages when the store is away, and puts them when it is back', async () => {
      const here = await machine('here')
      await here.newSegment()
      const failing = await machine('worker', {
        store: withPut(store, async () => {
          throw new ObjectStoreUnavailable('the store does not respond')
        }),
      })
      await expect(failing.add([fetchedPage(URLS[0] ?? '')])).rejects.toThrow('does not respond')
      expect(await here.pages()).toEqual([])
      const again = await machine('worker')
      // Before it is put, the machine that has it reads it.
      expect(await again.pages()).toEqual([URLS[0]])
      await again.folder.recover()
      expect(await here.pages()).toEqual([URLS[0]])
      // A second time, there is nothing to put.
      const puts: string[] = []
      const counted = withPut(store, (key, put) => {
        puts.push(key)
        return put()
      })
      await (await machine('worker', { store: counted })).folder.recover()
      expect(puts).toEqual([])
    })

    it('puts the segments of a crawl directory that had them', async () => {
      await writeSegment(join(machines, 'here'), NAME, [listEntry(URLS[0] ?? '')])
      const local = await ParquetSegments.open(join(machines, 'here'), { threads: 1 })
      await addTo(local, [fetchedPage(URLS[0] ?? '')])
      local.close()
      const here = await machine('here')
      expect(await here.pages()).toEqual([URLS[0]])
      await here.folder.recover()
      const there = await machine('there')
      expect(await there.pages()).toEqual([URLS[0]])
      expect(await there.segments.info(NAME)).toMatchObject({ generated: 1, complete: true })
    })

    it('downloads only the directories that are read', async () => {
      const here = await machine('here')
      await here.newSegment()
      await here.add(URLS.map((url) => fetchedPage(url)))
      const there = await machine('there')
      await there.segments.info(NAME)
      expect(await directoriesOf(there.path)).toEqual(['crawl_fetch', 'crawl_generate', 'parse_data'])
      for await (const _ of there.segments.pages([NAME], { links: false }));
      expect(await directoriesOf(there.path)).not.toContain('crawl_parse')
      expect(await directoriesOf(there.path)).toContain('content')
    })

    it('deletes the least recently used copies above the limit, but none that is not put', async () => {
      const big = 'x'.repeat(20_000)
      const here = await machine('here', { maxBytes: 200_000, partBytes: 1 })
      await here.newSegment()
      const pages = Array.from({ length: 12 }, (_, i) => `http://a.test/${i}`)
      await here.add(pages.map((url, i) => fetchedPage(url, `${randomText(i)}${big}`)))
      for (const url of pages) await here.add([fetchedPage(url, randomText(40_000))])
      expect(await sizeOf(here.path)).toBeLessThanOrEqual(200_000)
      // Files that are read at the same time may need more; the next use of any file finds that they are not in use any more.
      expect(await here.pages()).toHaveLength(12)
      await here.segments.followed(NAME)
      expect(await sizeOf(here.path)).toBeLessThanOrEqual(200_000)
    })

    it('downloads a damaged copy again when the files are checked', async () => {
      const here = await machine('here')
      await here.newSegment()
      await here.add([fetchedPage(URLS[0] ?? '')])
      const file = join(here.path, 'segments', NAME, 'content', 'part-000001-here.parquet')
      const bytes = await readFile(file)
      await writeFile(file, bytes.fill(0, 4, 60))
      const checks: Array<string | undefined> = []
      for await (const { damage } of here.segments.checkFiles()) checks.push(damage?.reason)
      expect(checks).toEqual(Array(6).fill(undefined))
      // A copy of another size is noticed by each reader.
      await truncate(file, 10)
      expect(await here.pages()).toEqual([URLS[0]])
    })

    it('moves a part that is damaged in the store aside, and deletes its objects', async () => {
      const here = await machine('here')
      await here.newSegment()
      await here.add([fetchedPage(URLS[0] ?? '')])
      await here.add([fetchedPage(URLS[1] ?? '')])
      const part = 'part-000001-here.parquet'
      await store.put(`${NAME}/content/${part}`, Buffer.from('PAR1 damaged PAR1'))
      const there = await machine('there')
      const damaged: string[] = []
      for await (const { damage } of there.segments.checkFiles()) if (damage) damaged.push(damage.part)
      expect(damaged).toEqual([part])
      const folder = await there.segments.setAside([{ segment: NAME, part }], 0)
      expect((await readdir(join(folder, NAME))).toSorted()).toEqual([
        ...['content', 'crawl_fetch', 'crawl_parse', 'parse_data', 'parse_text'],
      ])
      expect(await here.pages()).toEqual([URLS[1]])
      for await (const { key } of store.list(NAME)) expect(key).not.toContain(part)
    })

    it('has noted on the disk that a segment is in the store before it downloads a file of it', async () => {
      await (await machine('here')).newSegment()
      const steps: string[] = []
      const path = join(machines, 'there', 'segments')
      const disk: DurableFiles = {
        ...diskFiles,
        async sync(synced) {
          steps.push(`sync ${relative(path, synced)}`, ...(await readdir(synced)))
        },
      }
      const watched = withMethods(store, {
        download(key, file) {
          steps.push('download')
          return store.download(key, file)
        },
      })
      const there = new ObjectSegmentFolder(path, watched, 1e9, disk)
      const files = await there.files(NAME)
      await there.hold(files?.crawl_generate ?? [])
      expect(steps).toEqual([`sync ${NAME}`, '.published', 'crawl_generate', 'download'])
    })

    it('completes the deletion of a segment that was interrupted', async () => {
      const here = await machine('here')
      await here.newSegment()
      await here.add([fetchedPage(URLS[0] ?? '')])
      let deletes = 0
      const dying = withMethods(store, {
        delete: async (keys) => {
          if (++deletes > 1) throw new ObjectStoreUnavailable('away')
          await store.delete(keys)
        },
      })
      await expect((await machine('here', { store: dying })).segments.remove(NAME)).rejects.toThrow('away')
      expect(await here.segments.list()).toEqual([])
      await expect(here.segments.info(NAME)).rejects.toMatchObject({ code: 'SEGMENT_MISSING' })
      await (await machine('here')).folder.recover()
      for await (const { key } of store.list('')) expect.fail(key)
      expect(await readdir(join(here.path, 'segments'))).toEqual([])
    })

    it('removes unfinished files of killed processes that held the lock, and of no other', async () => {
      const here = await machine('here')
      await here.newSegment()
      await here.add([fetchedPage(URLS[0] ?? '')])
      const content = join(here.path, 'segments', NAME, 'content')
      const left = [lockHolderName(true), lockHolderName(false), workerName()].map(
        (writer) => `.part-000009-${writer}.parquet.tmp`,
      )
      for (const name of left) await writeFile(join(content, name), 'PAR1')
      const holder = await machine('here', { exclusive: true, writer: lockHolderName(true) })
      await holder.add([fetchedPage(URLS[1] ?? '')])
      expect((await readdir(content)).filter((name) => left.includes(name))).toEqual(left.slice(2))
      expect(await here.pages()).toHaveLength(2)
    })

    interface MachineOptions {
      readonly store?: ObjectStore
      readonly maxBytes?: number
      readonly partBytes?: number
      readonly exclusive?: boolean
      readonly writer?: string
    }

    /** A machine with a crawl directory of its own. */
    async function machine(name: string, options: MachineOptions = {}) {
      const path = join(machines, name)
      await mkdir(join(path, 'segments'), { recursive: true })
      const folder = new ObjectSegmentFolder(
        join(path, 'segments'),
        options.store ?? store,
        options.maxBytes ?? 1e9,
      )
      const { partBytes = 1e9, exclusive = false, writer = name } = options
      const segments = await ParquetSegments.open(path, {
        ...{ clock: new FakeClock(), threads: 1, writer, folder, partBytes, exclusive },
      })
      opened.push(segments)
      return {
        path,
        folder,
        segments,
        async newSegment() {
          await writeSegment(
            path,
            NAME,
            URLS.map((url) => listEntry(url)),
          )
          await folder.publish(NAME)
        },
        add: (pages: readonly PageRecord[]) => addTo(segments, pages),
        async pages(): Promise<string[]> {
          const urls: string[] = []
          for await (const pages of segments.pages([NAME])) urls.push(...pages.map(({ fetch }) => fetch.url))
          return urls
        },
      }
    }
  })
})

async function addTo(segments: ParquetSegments, pages: readonly PageRecord[]): Promise<void> {
  const appender = await segments.append(NAME)
  const written = Promise.all(pages.map((page) => appender.add(page)))
  await Promise.all([written, appender.close()])
}

/** A store whose puts go through `put`. */
function withPut(
  store: ObjectStore,
  put: (key: string, really: () => ReturnType<ObjectStore['put']>) => ReturnType<ObjectStore['put']>,
): ObjectStore {
  return withMethods(store, { put: (key, ...rest) => put(key, () => store.put(key, ...rest)) })
}

/** A store with other methods. */
function withMethods(store: ObjectStore, methods: Partial<ObjectStore>): ObjectStore {
  const { url } = store
  return {
    url,
    put: (...args) => store.put(...args),
    checkPut: (key) => store.checkPut(key),
    get: (key) => store.get(key),
    read: (key) => store.read(key),
    download: (key, file) => store.download(key, file),
    list: (prefix) => store.list(prefix),
    delete: (keys) => store.delete(keys),
    close: () => store.close(),
    ...methods,
  }
}

async function directoriesOf(path: string): Promise<string[]> {
  const names = await readdir(join(path, 'segments', NAME))
  return names.filter((name) => !name.startsWith('.')).toSorted()
}

async function sizeOf(path: string): Promise<number> {
  let bytes = 0
  for (const entry of await readdir(join(path, 'segments'), { recursive: true, withFileTypes: true }))
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size
  return bytes
}

/** Text that does not compress well. */
function randomText(seed: number): string {
  let state = seed + 1
  return Array.from({ length: 2_000 }, () => {
    state = (state * 48_271) % 2_147_483_647
    return state.toString(36)
  }).join('')
}
