/** Writing fetched pages to a segment, compared with one line of JSON each through a gzip stream. */
import { createWriteStream } from 'node:fs'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { ParquetSegments } from '../src/adapters/duckdb/segments/parquet-segments.ts'
import type { PageRecord } from '../src/domain/segment/segment-rows.ts'
import { fetchedPage, writeSegment } from '../testing/segments.ts'

const PAGES = 4_000
const ROUNDS = 3
const BODY_BYTES = 25_000
const TEXT_CHARACTERS = 6_000
const LINKS = 60
const NAME = '20270115080000'

export async function run(): Promise<void> {
  const pages = Array.from({ length: PAGES }, (_, i) => makePage(i))
  console.log(`${PAGES} pages of ${BODY_BYTES} bytes with ${LINKS} links, best of ${ROUNDS}\n`)
  console.log(`${''.padEnd(20)} pages/s  main thread  all threads  on disk`)
  const ours = await best(() => writeParquet(pages))
  const naive = await best(() => writeJsonLines(pages))
  show('Parquet segment', ours)
  show('JSONL and gzip', naive)
  console.log(
    `\n${(ours.perSecond / naive.perSecond).toFixed(1)} x as fast, with ${(naive.mainUs / ours.mainUs).toFixed(1)} x less of the main thread`,
  )
}

interface Measured {
  readonly perSecond: number
  /** CPU time per page. */
  readonly mainUs: number
  readonly allUs: number
  readonly bytes: number
}

function show(what: string, { perSecond, mainUs, allUs, bytes }: Measured): void {
  const columns = [
    perSecond.toFixed(0).padStart(8),
    `${mainUs.toFixed(0)} µs/page`.padStart(12),
    `${allUs.toFixed(0)} µs/page`.padStart(12),
    `${(bytes / PAGES / 1000).toFixed(1)} kB/page`,
  ]
  console.log(`${what.padEnd(20)}${columns.join(' ')}`)
}

async function best(write: () => Promise<Measured>): Promise<Measured> {
  const rounds: Measured[] = []
  for (let round = 0; round < ROUNDS; round++) rounds.push(await write())
  const pick = (choose: (...values: number[]) => number, key: keyof Measured) =>
    choose(...rounds.map((round) => round[key]))
  return {
    perSecond: pick(Math.max, 'perSecond'),
    mainUs: pick(Math.min, 'mainUs'),
    allUs: pick(Math.min, 'allUs'),
    bytes: pick(Math.min, 'bytes'),
  }
}

async function writeParquet(pages: readonly PageRecord[]): Promise<Measured> {
  return measured(async (directory) => {
    await writeSegment(directory, NAME)
    const segments = await ParquetSegments.open(directory)
    const appender = await segments.append(NAME)
    return async () => {
      for (const page of pages) {
        await appender.room()
        void appender.add(page)
      }
      await appender.close()
      segments.close()
    }
  })
}

async function writeJsonLines(pages: readonly PageRecord[]): Promise<Measured> {
  return measured(async (directory) => async () => {
    const lines = Readable.from(
      pages.values().map((page) => {
        const body = page.content && Buffer.from(page.content.body).toString('base64')
        return `${JSON.stringify({ ...page, content: { ...page.content, body } })}\n`
      }),
    )
    await pipeline(lines, createGzip(), createWriteStream(join(directory, 'pages.jsonl.gz'), { flush: true }))
  })
}

async function measured(prepare: (directory: string) => Promise<() => Promise<void>>): Promise<Measured> {
  const directory = await mkdtemp(join(tmpdir(), 'segments-'))
  try {
    const write = await prepare(directory)
    const start = performance.now()
    const main = process.threadCpuUsage()
    const all = process.cpuUsage()
    await write()
    const mainUsed = process.threadCpuUsage(main)
    const allUsed = process.cpuUsage(all)
    return {
      perSecond: (PAGES * 1_000) / (performance.now() - start),
      mainUs: (mainUsed.user + mainUsed.system) / PAGES,
      allUs: (allUsed.user + allUsed.system) / PAGES,
      bytes: await sizeOf(directory),
    }
  } finally {
    await rm(directory, { recursive: true })
  }
}

async function sizeOf(directory: string): Promise<number> {
  const entries = await readdir(directory, { recursive: true })
  const sizes = await Promise.all(entries.map((entry) => stat(join(directory, entry))))
  return sizes.reduce((sum, entry) => sum + (entry.isFile() ? entry.size : 0), 0)
}

function makePage(i: number): PageRecord {
  const url = `https://www.site-${i % 100}.com/news/politics/${i}/a-title-of-some-length.html`
  const page = fetchedPage(url, words(i, TEXT_CHARACTERS))
  const targets = Array.from(
    { length: LINKS },
    (_, j) => `https://www.site-${(i + j) % 100}.com/news/${i * 7 + j}/another-title-of-some-length.html`,
  )
  const body = Buffer.from(`<p class="text">${words(i + 1, BODY_BYTES)}`)
  return {
    ...page,
    ...(page.content !== undefined && { content: { ...page.content, body } }),
    ...(page.parseData !== undefined && {
      parseData: {
        ...page.parseData,
        outlinks: targets,
        anchors: targets.map((_, j) => `read more about ${words(j, 20)}`),
      },
    }),
    links: targets.map((target) => ({ fromUrl: url, url: target, kind: 'link', score: 1 / LINKS, depth: 3 })),
  }
}

/** Text that compresses about as well as prose does. */
function words(seed: number, length: number): string {
  let text = ''
  let state = seed + 1
  while (text.length < length) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    // Low powers are common, as short words are.
    text += `${((state >>> 8) % 3 === 0 ? state % 20_000 : state % 200).toString(36)}ing `
  }
  return text.slice(0, length)
}
