import { ConfigurationError } from '../../base/crawl-error.ts'
import type { CrawlDbReader } from '../../domain/crawldb/crawl-db-reader.ts'
import type { DbStatus } from '../../domain/crawldb/crawl-status.ts'
import type {
  DueStatistics,
  DueUrl,
  HostFacts,
  HostFactsQuery,
  HostStatistics,
  StatusCount,
} from './responses.ts'

/** Figures about the records of a crawl, by SQL over `crawldb`, the view that other programs read too. */
export class CrawlStatistics {
  readonly #reader: CrawlDbReader

  constructor(reader: CrawlDbReader) {
    this.#reader = reader
  }

  /** The largest hosts. @param now ms since the epoch */
  topHosts(limit: number, now: number): Promise<HostStatistics[]> {
    return this.#rows<HostStatistics>(`
      SELECT ${hostColumns(now)} FROM crawldb GROUP BY host ORDER BY urls DESC, host LIMIT ${limit}`)
  }

  async host(host: string, now: number): Promise<HostStatistics | undefined> {
    const [figures] = await this.#rows<HostStatistics>(`
      SELECT ${hostColumns(now)} FROM crawldb WHERE host = ${sqlText(host)} GROUP BY host`)
    return figures
  }

  /** A part of the HostDb. @throws ConfigurationError if the engine has none */
  async hostFacts(query: HostFactsQuery): Promise<{ total: number; hosts: HostFacts[] }> {
    const { sort, descending, offset, limit, contains = '' } = query
    const where = contains === '' ? '' : `WHERE contains(host, ${sqlText(contains)})`
    const [count] = await this.#rows<{ total: number }>(`SELECT count(*) AS total FROM hosts ${where}`)
    const hosts = await this.#rows<HostFacts>(`
      SELECT ${FACT_COLUMNS} FROM hostdb ${where}
      ORDER BY "${sort}" ${descending ? 'DESC' : 'ASC'} NULLS LAST, host LIMIT ${limit} OFFSET ${offset}`)
    return { total: count?.total ?? 0, hosts }
  }

  /** What the HostDb knows about one host; `undefined` if the engine has none. */
  async factsOf(host: string): Promise<HostFacts | undefined> {
    try {
      const [facts] = await this.#rows<HostFacts>(
        `SELECT ${FACT_COLUMNS} FROM hostdb WHERE host = ${sqlText(host)}`,
      )
      return facts
    } catch (error) {
      if (error instanceof ConfigurationError) return undefined
      throw error
    }
  }

  hostStatuses(host: string): Promise<StatusCount[]> {
    return this.#rows<StatusCount>(`
      SELECT status, count(*) AS "count" FROM crawldb WHERE host = ${sqlText(host)} GROUP BY status ORDER BY 2 DESC, 1`)
  }

  /** The best by score. */
  hostUrls(host: string, limit: number): Promise<DueUrl[]> {
    return this.#rows<DueUrl>(`
      SELECT ${DUE_COLUMNS} FROM crawldb WHERE host = ${sqlText(host)} ORDER BY score DESC, url LIMIT ${limit}`)
  }

  /** What is due when; each URL is counted once. */
  async due(now: number, limit: number): Promise<DueStatistics> {
    const within = (ms: number) => `${DUE_TIME} <= ${timestamp(now + ms)}`
    const free = 'generated_in IS NULL'
    const [counts] = await this.#rows<Omit<DueStatistics, 'next'>>(`
      SELECT
        count(*) FILTER (NOT (${free})) AS "listed",
        count(*) FILTER (${free} AND ${within(0)}) AS "now",
        count(*) FILTER (${free} AND NOT ${within(0)} AND ${within(HOUR_MS)}) AS "withinHour",
        count(*) FILTER (${free} AND NOT ${within(HOUR_MS)} AND ${within(DAY_MS)}) AS "withinDay",
        count(*) FILTER (${free} AND NOT ${within(DAY_MS)} AND ${within(7 * DAY_MS)}) AS "withinWeek",
        count(*) FILTER (${free} AND NOT ${within(7 * DAY_MS)} AND ${within(30 * DAY_MS)}) AS "withinMonth",
        count(*) FILTER (${free} AND NOT ${within(30 * DAY_MS)}) AS "later"
      FROM crawldb`)
    const next = await this.#rows<DueUrl>(`
      SELECT ${DUE_COLUMNS} FROM crawldb WHERE ${free}
      ORDER BY greatest(${DUE_TIME}, ${timestamp(now)}), score DESC, url LIMIT ${limit}`)
    return { ...NOTHING_DUE, ...counts, next }
  }

  /** NULL is absent. `Row` is the caller's word for what the statement selects. */
  async #rows<Row>(sql: string): Promise<Row[]> {
    const { columns, rows } = await this.#reader.sql(sql)
    return rows.map(
      (row) =>
        Object.fromEntries(
          columns.map((column, i) => [column, row[i]]).filter(([, value]) => value !== null),
        ) as Row,
    )
  }
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const NOTHING_DUE: Omit<DueStatistics, 'next'> = {
  ...{ listed: 0, now: 0, withinHour: 0, withinDay: 0, withinWeek: 0, withinMonth: 0, later: 0 },
}

/** When generate may list a URL: its own time, or that of its host if it must wait longer. */
const DUE_TIME = 'greatest(fetch_time, host_not_before)'

const DUE_COLUMNS = `url, status, epoch_ms(${DUE_TIME}) AS "fetchTime", score::DOUBLE AS "score"`

const FACT_COLUMNS = `
  host, urls, fetched + notmodified + duplicate AS "fetched", unfetched, gone, fetches, responses, dns_failures AS "dnsFailures",
  connection_failures AS "connectionFailures", server_errors AS "serverErrors", failures_in_a_row AS "failuresInARow",
  last_failure AS "lastFailure", robots, avg_response_ms AS "averageMs", min_response_ms AS "minMs", max_response_ms AS "maxMs",
  bytes, epoch_ms(last_response_time) AS "lastResponseTime", home_page AS "homePage", address, link_score::DOUBLE AS "linkScore"`

function hostColumns(now: number): string {
  const having = (...statuses: readonly DbStatus[]) =>
    `count(*) FILTER (status IN (${statuses.map(sqlText).join(', ')}))`
  return `
    host, count(*) AS "urls",
    ${having('db_fetched', 'db_notmodified', 'db_duplicate')} AS "fetched",
    ${having('db_redir_temp', 'db_redir_perm')} AS "redirected",
    ${having('db_gone', 'db_orphan', 'db_parse_failed')} AS "gone",
    ${having('db_unfetched')} AS "unfetched",
    count(*) FILTER (generated_in IS NULL AND ${DUE_TIME} <= ${timestamp(now)}) AS "due",
    epoch_ms(max(last_fetch_time)) AS "lastFetchTime"`
}

function timestamp(ms: number): string {
  return `make_timestamp_ms(${Math.round(ms)})`
}

/** `text` without NUL, at which DuckDB would end the statement: api.ts rejects it. */
function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''").replaceAll('\0', '')}'`
}
