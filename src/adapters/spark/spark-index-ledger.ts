import { BIGINT, DOUBLE, VARCHAR } from '@duckdb/node-api'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { statusCode } from '../../domain/crawldb/crawl-status.ts'
import { NOT_FOR_AN_INDEX } from '../../domain/indexing/index-document.ts'
import type {
  ChangedPage,
  ChangesRequest,
  IndexLedger,
  SettledPage,
} from '../../domain/indexing/index-ledger.ts'
import type { SegmentFolder } from '../crawl-directory/segment-folder.ts'
import {
  changedOf,
  type GonePage,
  goneOf,
  MAX_NAMED_PAGES,
  segmentFilesOf,
  TELLING,
} from '../duckdb/index-changes.ts'
import { type FilesBySegment, readFetches } from '../duckdb/segments/read-pages.ts'
import type { Session } from '../duckdb/session.ts'
import { fingerprintSql, sparkList, sparkText, TABLES } from './crawl-tables.ts'
import type { CrawlVersions, NextVersion } from './crawl-versions.ts'
import { streamScratch } from './scratch-database.ts'
import { SEGMENT_TYPES } from './segment-types.ts'

/** The pages written to each search index, in the table `indexed_pages` of the CrawlDb. */
export class SparkIndexLedger implements IndexLedger {
  readonly #versions: CrawlVersions
  readonly #paths: { readonly segments: SegmentFolder; readonly scratch: string }
  /** Targets whose last indexing run did not finish, usually in another process. */
  readonly #leftOpen = new Set<string>()

  constructor(
    versions: CrawlVersions,
    paths: { readonly segments: SegmentFolder; readonly scratch: string },
  ) {
    this.#versions = versions
    this.#paths = paths
  }

  /** Spark finds the changed pages, and DuckDB reads their texts from the segments. */
  async *changes(target: string, request: ChangesRequest): AsyncGenerator<readonly ChangedPage[]> {
    if ((request.maxInlinks ?? 0) > 0)
      throw new ConfigurationError(
        'OPTION_INVALID',
        'index.links: inlinks of documents need the engine duckdb; this crawl has the engine spark. Leave out inlinks',
      )
    const folder = this.#paths.segments
    const segments = await segmentFilesOf(folder)
    const files = [...segments.values()].flatMap(({ crawl_fetch }) => crawl_fetch)
    const release = await folder.hold(files)
    try {
      yield* this.#changesIn(segments, files, target, request)
    } finally {
      release()
    }
  }

  async *#changesIn(
    segments: FilesBySegment,
    files: readonly string[],
    target: string,
    request: ChangesRequest,
  ): AsyncGenerator<readonly ChangedPage[]> {
    const versions = this.#versions
    const folder = this.#paths.segments
    const unfinished = await this.#begin(target)
    await this.#versions.viewFiles('all_fetches', files, SEGMENT_TYPES.crawl_fetch)
    const views = {
      newest_pages: NEWEST_FETCHES,
      called_pages: anchorTexts(request.maxAnchors),
      current_pages: currentPages(request.rules),
      wanted_pages: wantedPages(target, request, unfinished),
    }
    await this.#versions.run(
      ...Object.entries(views).map(([name, sql]) => `CREATE OR REPLACE TEMP VIEW ${name} AS ${sql}`),
    )
    const unwanted = 'SELECT url, status, inputs, was_indexed FROM wanted_pages WHERE unwanted'
    const gone = await this.#versions.all<GonePage>(
      request.segments === undefined ? `${unwanted} UNION ALL ${forgottenPages(target)}` : unwanted,
    )
    yield gone.map(goneOf)
    yield* streamScratch(`${this.#paths.scratch}-index`, async function* (session) {
      await stageFetches(session, versions)
      const { content, body = false, outlinks = false } = request
      const wanted = { content, body, links: false, outlinks }
      for await (const fetches of readFetches(session, folder, segments, wanted)) yield fetches.map(changedOf)
    })
  }

  settle(target: string, pages: readonly SettledPage[]): Promise<void> {
    if (pages.length === 0) return Promise.resolve()
    return this.#versions.change(async (next) => {
      // Of one page the last counts.
      const last = new Map(pages.map((page) => [page.url, page]))
      await next.db.viewRows(
        'settled',
        TABLES.indexed_pages,
        Array.from(last.values(), ({ url, inputs, indexed }) => [target, url, inputs, indexed]),
      )
      await next.write(
        'indexed_pages',
        'SELECT i.* FROM indexed_pages i LEFT ANTI JOIN settled s ON s.target = i.target AND s.url = i.url',
        'SELECT * FROM settled',
      )
    })
  }

  async finish(target: string, complete: boolean): Promise<void> {
    if (!complete && this.#leftOpen.has(target)) return
    this.#leftOpen.delete(target)
    await this.#versions.change(async (next) => setUnfinished(next, target, false))
  }

  forget(target: string): Promise<void> {
    return this.#versions.change((next) =>
      next.write('indexed_pages', `SELECT * FROM indexed_pages WHERE target <> ${sparkText(target)}`),
    )
  }

  /** Returns whether an earlier indexing run did not finish. */
  #begin(target: string): Promise<boolean> {
    return this.#versions.change(async (next) => {
      const isOpen = next.state.unfinishedIndexes.includes(target)
      if (isOpen) this.#leftOpen.add(target)
      else setUnfinished(next, target, true)
      return isOpen
    })
  }
}

/** Creates `wanted_fetches`, with the details of each fetch as JSON in the column `metadata`. */
async function stageFetches(session: Session, versions: CrawlVersions): Promise<void> {
  const staged = await session.stage('wanted_fetches', {
    ...{ segment: VARCHAR, part: VARCHAR, part_row: BIGINT, url: VARCHAR },
    ...{ score: DOUBLE, metadata: VARCHAR },
  })
  const sql = `SELECT segment, part, part_row, url, CAST(score AS DOUBLE) AS score, status, inputs, metadata, anchors, was_indexed, may_be_indexed
    FROM wanted_pages WHERE NOT unwanted`
  for await (const rows of versions.stream<WantedRow>(sql))
    for (const { segment, part, part_row, url, score, ...details } of rows)
      staged.add(segment, part, BigInt(part_row), url, score, JSON.stringify(details))
  staged.close()
}

interface WantedRow {
  readonly segment: string
  readonly part: string
  readonly part_row: number
  readonly url: string
  readonly score: number
  readonly status: number | null
  readonly inputs: string
  readonly metadata: string | null
  readonly anchors: readonly string[] | null
  readonly was_indexed: boolean
  readonly may_be_indexed: boolean
}

function setUnfinished(next: NextVersion, target: string, isOpen: boolean): void {
  const others = next.state.unfinishedIndexes.filter((name) => name !== target)
  next.set({ unfinishedIndexes: isOpen ? [...others, target] : others })
}

const UNWANTED = NOT_FOR_AN_INDEX.map(statusCode).join(', ')

const NEWEST_FETCHES = `
  SELECT * FROM (
    SELECT url, status, fetched_at, signature, element_at(split(file, '/'), -3) AS segment, element_at(split(file, '/'), -1) AS part,
      file_row AS part_row, row_number() OVER (
        PARTITION BY url ORDER BY element_at(split(file, '/'), -3) DESC, element_at(split(file, '/'), -1) DESC, file_row DESC) AS place
    FROM all_fetches WHERE status IN ${sparkList(TELLING)}
  ) WHERE place = 1`

function anchorTexts(maxAnchors: number): string {
  return `
    SELECT to_url AS url, slice(transform(array_sort(collect_list(struct(-uses AS uses, anchor))), x -> x.anchor), 1, ${maxAnchors}) AS anchors
    FROM (
      SELECT *, count(*) OVER (PARTITION BY lower(anchor)) AS named FROM (
        SELECT to_url, trim(anchor) AS anchor, count(*) AS uses FROM links GROUP BY to_url, trim(anchor))
    )
    WHERE anchor <> '' AND named <= ${MAX_NAMED_PAGES} GROUP BY to_url`
}

/** As `currentPages` of the DuckDB adapter, with the same fingerprints. */
function currentPages(rules: string): string {
  const inputs = `concat_ws(' ', ${sparkText(rules)}, CASE WHEN status IN (${UNWANTED}) THEN CAST(status AS STRING) END, fetch_status,
    CAST(fetched_at AS STRING), signature, CAST(CAST(round(2 * log2(greatest(score, 1e-6D))) AS INT) AS STRING), to_json(array_sort(anchors)))`
  return `
    SELECT *, coalesce(status IN (${UNWANTED}), false) AS unwanted, conv(${fingerprintSql('input_text')}, 16, 10) AS inputs FROM (
      SELECT *, ${inputs} AS input_text FROM (
        SELECT coalesce(n.url, u.url) AS url, n.segment, n.part, n.part_row, n.status AS fetch_status, n.fetched_at, n.signature,
          CAST(coalesce(u.score, 1) AS DOUBLE) AS score, u.metadata, a.anchors,
          CASE WHEN n.url IS NULL OR u.last_fetch_time >= n.fetched_at THEN u.status END AS status
        FROM newest_pages n
        FULL JOIN (SELECT * FROM urls WHERE last_fetch_time > 0 OR status IN (${UNWANTED})) u ON u.url = n.url
        LEFT JOIN called_pages a ON a.url = coalesce(n.url, u.url)))`
}

/** The pages that changed for this index. */
function wantedPages(target: string, { all, segments }: ChangesRequest, unfinished: boolean): string {
  const inSegments = segments === undefined ? 'true' : `p.segment IN ${sparkList(segments)}`
  const news = all
    ? 'p.unwanted OR p.part IS NOT NULL'
    : `CASE WHEN p.unwanted THEN coalesce(l.indexed, ${unfinished}) ELSE p.part IS NOT NULL AND NOT (l.inputs <=> p.inputs) END`
  return `
    SELECT p.*, coalesce(l.indexed, false) AS was_indexed, ${unfinished} OR coalesce(l.indexed, false) AS may_be_indexed
    FROM current_pages p LEFT JOIN (SELECT * FROM indexed_pages WHERE target = ${sparkText(target)}) l ON l.url = p.url
    WHERE ${inSegments} AND (${news})`
}

/** Indexed pages that are no longer in the CrawlDb or in a segment. */
function forgottenPages(target: string): string {
  return `
    SELECT l.url, CAST(NULL AS INT) AS status, l.inputs, l.indexed AS was_indexed FROM indexed_pages l
    LEFT ANTI JOIN current_pages p ON p.url = l.url
    LEFT ANTI JOIN urls u ON u.url = l.url
    WHERE l.target = ${sparkText(target)} AND l.indexed`
}
