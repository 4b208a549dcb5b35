import type {
  FetchCounts,
  FetchFigures,
  FetchHistory,
  FetchTotals,
  HistoryRange,
  HostFetches,
  RecentFetch,
} from '../../../domain/segment/fetch-figures.ts'
import type { FetchRowStatus } from '../../../domain/segment/segment-rows.ts'
import { spillFolder } from '../../crawl-directory/directories.ts'
import { Database } from '../database.ts'
import { type Session, sqlText } from '../session.ts'
import type { ParquetSegments } from './parquet-segments.ts'
import { segmentSource } from './segment-source.ts'
import { fetchRowOf, type StoredRow } from './stored-rows.ts'

/** Adds up the `crawl_fetch` rows of all segments. */
export class ParquetFetchFigures implements FetchFigures {
  readonly #segments: ParquetSegments
  readonly #database: Database

  private constructor(segments: ParquetSegments, database: Database) {
    this.#segments = segments
    this.#database = database
  }

  /** @param directory the crawl directory */
  static async open(
    directory: string,
    segments: ParquetSegments,
    memoryMb = 512,
  ): Promise<ParquetFetchFigures> {
    const settings = { memory_limit: `${memoryMb}MB`, temp_directory: spillFolder(directory) }
    return new ParquetFetchFigures(segments, await Database.open(':memory:', settings, directory))
  }

  close(): Promise<void> {
    return this.#database.close()
  }

  async history(range: HistoryRange): Promise<FetchHistory> {
    return this.#read(async (session, fetches) => {
      const { first, last, latest, runs } = await session.one<SpanRow>(spanSql(fetches))
      const from = range === 'all' ? first : latest
      if (from === null || last === null)
        return { runs: 0, bucketMs: 0, buckets: [], totals: NO_FETCHES, types: [] }
      const bucketMs = bucketFor(last - from)
      const since = `${fetches} WHERE fetched_at >= ${from}`
      return {
        ...{ from, to: last, runs, bucketMs },
        buckets: await session.all(`
          SELECT (fetched_at // ${bucketMs} * ${bucketMs})::DOUBLE AS at, ${COUNTS} FROM ${since} GROUP BY 1 ORDER BY 1`),
        totals: await readTotals(session, since),
        types: await session.all(`
          SELECT content_type AS value, count(*)::DOUBLE AS count FROM ${since} AND content_type IS NOT NULL
          GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${LISTED_TYPES}`),
      }
    })
  }

  async ofHost(host: string, limit: number): Promise<HostFetches> {
    return this.#read(async (session, fetches) => {
      // As hostOf has it: without the port, with the brackets of an IPv6 address.
      const ofHost = `${fetches} WHERE regexp_extract(url, '^[a-z]+://(\\[[^\\]]*\\]|[^/:?#]*)', 1) = ${sqlText(host)}`
      const rows = await session.all<StoredRow>(`
        SELECT url, status, fetched_at, http_status, response_ms, reason FROM ${ofHost}
        ORDER BY fetched_at DESC, url LIMIT ${limit}`)
      const recent: RecentFetch[] = rows.map(fetchRowOf)
      return { totals: await readTotals(session, ofHost), recent }
    })
  }

  /** Calls `work` with a relation of all fetches. URLs that were not reached are left out: no request was sent. */
  async #read<T>(work: (session: Session, fetches: string) => Promise<T>): Promise<T> {
    const segments = await this.#segments.filesOf(await this.#segments.list())
    const files = [...segments.values()].flatMap(({ crawl_fetch }) => crawl_fetch)
    const fetches = `(FROM ${segmentSource('crawl_fetch', files)} WHERE status <> 'not_reached')`
    return this.#segments.holding(files, () => this.#database.read((session) => work(session, fetches)))
  }
}

interface SpanRow {
  readonly first: number | null
  readonly last: number | null
  /** When the last run began. */
  readonly latest: number | null
  readonly runs: number
}

function spanSql(fetches: string): string {
  return `
    WITH minutes AS (SELECT fetched_at // 60000 AS minute, min(fetched_at) AS first, max(fetched_at) AS last FROM ${fetches} GROUP BY 1),
    gaps AS (SELECT *, minute - lag(minute) OVER (ORDER BY minute) AS gap FROM minutes)
    SELECT min(first)::DOUBLE AS first, max(last)::DOUBLE AS last,
      max(first) FILTER (gap IS NULL OR gap > ${RUN_GAP_MINUTES})::DOUBLE AS latest,
      count(*) FILTER (gap IS NULL OR gap > ${RUN_GAP_MINUTES})::DOUBLE AS runs
    FROM gaps`
}

const RUN_GAP_MINUTES = 30
const LISTED_TYPES = 8

const KINDS: Readonly<Record<keyof FetchCounts, readonly FetchRowStatus[]>> = {
  fetched: ['fetch_success', 'fetch_notmodified', 'parse_failed'],
  redirected: ['fetch_redir_temp', 'fetch_redir_perm'],
  gone: ['fetch_gone'],
  failed: ['fetch_retry'],
}

const COUNTS = Object.entries(KINDS)
  .map(([kind, statuses]) => {
    const list = statuses.map(sqlText).join(', ')
    return `count(*) FILTER (status IN (${list}))::DOUBLE AS ${kind}`
  })
  .join(', ')

const NO_FETCHES: FetchTotals = { fetched: 0, redirected: 0, gone: 0, failed: 0, bytes: 0 }

async function readTotals(session: Session, fetches: string): Promise<FetchTotals> {
  const { median, slow, ...totals } = await session.one<
    FetchTotals & { readonly median: number | null; readonly slow: number | null }
  >(`
    SELECT ${COUNTS}, coalesce(sum(bytes), 0)::DOUBLE AS bytes,
      quantile_cont(response_ms, 0.5) AS median, quantile_cont(response_ms, 0.95) AS slow
    FROM ${fetches}`)
  return {
    ...totals,
    ...(median !== null && { medianResponseMs: median }),
    ...(slow !== null && { slowResponseMs: slow }),
  }
}

/** The smallest width that gives at most `MAX_BUCKETS` bars. */
function bucketFor(spanMs: number): number {
  const seconds = WIDTHS_SECONDS.find((width) => spanMs / (width * 1000) <= MAX_BUCKETS)
  return 1000 * (seconds ?? Math.ceil(spanMs / 1000 / MAX_BUCKETS))
}

const MAX_BUCKETS = 90
const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const WIDTHS_SECONDS = [
  ...[1, 2, 5, 10, 15, 30],
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 3, 6, 12].map((n) => n * HOUR),
  ...[1, 2, 7, 30].map((n) => n * DAY),
]
