import { createSegment } from '../adapters/crawl-directory/segment-files.ts'
import type { CrawlDirectory } from '../adapters/duckdb/open-crawl-directory.ts'
import { ParquetSegments } from '../adapters/duckdb/segments/parquet-segments.ts'
import type { Clock } from '../base/clock.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import { parsePage } from '../domain/parse/parse-page.ts'
import type { ParseRules } from '../domain/parse/parse-rules.ts'
import { contentRow, parsedRow } from '../domain/segment/fetch-row.ts'
import type { FetchRow } from '../domain/segment/segment-rows.ts'
import type { SegmentAppender } from '../domain/segment/segment-store.ts'
import type { PageKeeper } from '../flows/spider/outcome-processor.ts'

/**
 * Stores the pages of one run of a spider as a segment of its crawl directory, so that `index`, `export` and other commands can read them.
 * The segment is created with the first page. The frontier records the fetches in the CrawlDb, so updatedb must skip the segment.
 */
export class SpiderPages implements PageKeeper {
  readonly #directory: Pick<CrawlDirectory, 'path' | 'segmentFolder' | 'db'>
  readonly #rules: ParseRules
  readonly #clock: Clock
  #opening: Promise<OpenSegment> | undefined

  constructor(
    directory: Pick<CrawlDirectory, 'path' | 'segmentFolder' | 'db'>,
    rules: ParseRules,
    clock: Clock,
  ) {
    this.#directory = directory
    this.#rules = rules
    this.#clock = clock
  }

  async keep(row: FetchRow, outcome: Parameters<PageKeeper['keep']>[1]): Promise<FetchRow> {
    this.#opening ??= this.#open()
    const { appender } = await this.#opening
    await appender.room()
    const content = contentRow(outcome)
    const { headers, body: bytes, truncated } = content
    const page = {
      url: row.url,
      headers,
      bytes,
      truncated: truncated !== undefined,
      score: 1,
      metadata: {},
    }
    const parsed = await parsePage(page, this.#rules)
    const { parseData, parseText } = parsed.rows
    // The handlers choose the links to follow, and their scores are not used: links are in parse_data only.
    const fetch = parsedRow(row, { ...parsed, scoreGiven: 0 }, this.#rules.markFailed)
    const record = { fetch, content, parseData, ...withoutUndefined({ parseText }) }
    // `flush` throws the error.
    void appender.add(record).catch(() => undefined)
    return fetch
  }

  /** Resolves when all pages kept so far are on disk. */
  async flush(): Promise<void> {
    await (await this.#opening)?.appender.flush()
  }

  async close(): Promise<void> {
    const open = await this.#opening
    if (open === undefined) return
    const { name, segments, appender } = open
    try {
      await appender.close()
      await this.#directory.db.adopt([name], [])
    } finally {
      segments.close()
    }
  }

  async #open(): Promise<OpenSegment> {
    const { path, segmentFolder, db } = this.#directory
    const name = await createSegment(segmentFolder.path, this.#clock.now())
    await segmentFolder.publish(name)
    const segments = await ParquetSegments.open(path, {
      ...{ memoryMb: 128, clock: this.#clock, exclusive: true, folder: segmentFolder },
    })
    try {
      // With those of runs that were killed.
      const unlisted = (await db.segments()).filter(({ urls, state }) => urls === 0 && state === 'updated')
      await db.adopt([...unlisted.map((segment) => segment.name), name], [])
      return { name, segments, appender: await segments.append(name) }
    } catch (error) {
      segments.close()
      throw error
    }
  }
}

interface OpenSegment {
  readonly name: string
  readonly segments: ParquetSegments
  readonly appender: SegmentAppender
}
