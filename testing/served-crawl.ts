import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openCrawlDirectory } from '../src/adapters/duckdb/open-crawl-directory.ts'
import { ParquetSegments } from '../src/adapters/duckdb/segments/parquet-segments.ts'
import { SqliteIndexWriter } from '../src/adapters/sqlite-index/sqlite-index-writer.ts'
import { withoutUndefined } from '../src/base/without-undefined.ts'
import type { IndexDocument } from '../src/domain/indexing/index-document.ts'
import { defaultRules } from './rule-sets.ts'
import { fetchedPage } from './segments.ts'

/** A page of a made-up crawl. */
export interface MadeUpPage {
  readonly url: string
  readonly title: string
  readonly text: string
  readonly type?: string
  readonly lang?: string
  /** URL in the index. @default `url` */
  readonly indexedUrl?: string
}

/** Makes a crawl directory of these pages: db, a segment and, unless told otherwise, an index. Returns its path. */
export async function makeServedCrawl(pages: readonly MadeUpPage[], isIndexed = true): Promise<string> {
  const path = mkdtempSync(join(tmpdir(), 'orbweaver-served-'))
  const now = Date.now()
  const directory = await openCrawlDirectory(path, { command: 'test', memoryMb: 128 })
  const segments = await ParquetSegments.open(path, { threads: 1 })
  try {
    await directory.db.inject(seedsOf(pages), defaultRules, now)
    const { schedule, scoring } = defaultRules
    const { maxIntervalSeconds } = schedule
    const { segments: made } = await directory.db.generate({ now, maxIntervalSeconds, scoring })
    const name = made[0]?.name ?? ''
    const appender = await segments.append(name)
    for (const page of pages) void appender.add(recordOf(page, now))
    await appender.close()
    await directory.db.update({ segments: [name], rules: defaultRules, now })
    if (isIndexed) await indexPages(path, pages, name, now)
  } finally {
    segments.close()
    await directory.close()
  }
  return path
}

export function removeServedCrawl(path: string): void {
  rmSync(path, { recursive: true, force: true })
}

async function* seedsOf(pages: readonly MadeUpPage[]) {
  yield pages.map(({ url }) => ({ url, metadata: {} }))
}

function recordOf({ url, title, text, type = 'text/html', lang }: MadeUpPage, now: number) {
  const { parseData, ...page } = fetchedPage(url, text, now)
  return {
    ...page,
    links: [],
    ...(parseData !== undefined && {
      parseData: {
        ...{ ...parseData, title, contentType: type, outlinks: [], anchors: [] },
        ...withoutUndefined({ language: lang }),
      },
    }),
  }
}

async function indexPages(path: string, pages: readonly MadeUpPage[], segment: string, now: number) {
  const writer = SqliteIndexWriter.open(path)
  const documents = pages.map(
    ({ url, indexedUrl = url, title, text, type = 'text/html', lang }): IndexDocument => ({
      ...{
        id: url,
        url: indexedUrl,
        host: new URL(url).hostname,
        title,
        content: text,
        anchors: [],
        boost: 1,
      },
      ...{ tstamp: now, type, segment, metadata: {} },
      ...withoutUndefined({ lang }),
    }),
  )
  await writer.write(documents.map((document) => ({ kind: 'put', document })))
  await writer.commit()
  await writer.close()
}
