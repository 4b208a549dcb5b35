import { BOOLEAN, DOUBLE, INTEGER, UBIGINT, VARCHAR } from '@duckdb/node-api'
import { type CrawlRequest, isPlain } from '../../../domain/frontier/crawl-request.ts'
import type { Added } from '../../../domain/frontier/frontier.ts'
import type { RecentFingerprints } from '../../../domain/frontier/recent-fingerprints.ts'
import { hostSql } from '../new-urls.ts'
import type { Session } from '../session.ts'
import { requestJson } from './leased-request.ts'
import type { UnstoredRequests } from './unstored-requests.ts'

export interface SieveOptions {
  readonly keyOf: (url: string) => string
  readonly recent: RecentFingerprints
  readonly unstored: UnstoredRequests
}

/** A request, and its fingerprint for the duplicate filter; `null`: it is exempt. */
export interface ArrivedRequest {
  readonly request: CrawlRequest
  readonly fingerprint: bigint | null
}

export interface Sieved extends Added {
  /** Number of new requests that are leased already. */
  readonly leased: number
  /** Whether a new request may be a plain GET, which gets a record in the CrawlDb. */
  readonly plain: boolean
  write(): Promise<void>
  /** Call after the commit: later repeats are then recognised without a query. */
  remember(): void
}

/**
 * Creates the temporary table `fresh` with the requests that were never seen, numbered in order of arrival, and prepares to queue them.
 * Repeats within the call and of recent requests are dropped without a query.
 */
export async function sieveRequests(
  session: Session,
  requests: readonly ArrivedRequest[],
  options: SieveOptions,
): Promise<Sieved> {
  const { staged, leased, fingerprints, plain, starts } = await stageRequests(session, requests, options)
  const mayBeSeen = fingerprints.size > 0 && options.unstored.seen === undefined
  const added = staged - (mayBeSeen ? await dropSeen(session) : 0)
  return {
    added,
    duplicates: requests.length - added,
    leased,
    plain,
    async write() {
      if (added === 0) return
      await session.run(PUT_IN_LINE)
      if (fingerprints.size > 0) await session.run(REMEMBER)
      if (starts) await session.run(NEW_SEED_HOSTS)
    },
    remember() {
      for (const fingerprint of fingerprints) options.recent.add(fingerprint)
      options.unstored.stored(
        requests.map(({ request }) => request),
        fingerprints,
      )
    },
  }
}

interface Staged {
  readonly staged: number
  readonly leased: number
  /** Fingerprints that are in `seen` after the commit. */
  readonly fingerprints: ReadonlySet<bigint>
  readonly plain: boolean
  readonly starts: boolean
}

async function stageRequests(
  session: Session,
  requests: readonly ArrivedRequest[],
  { keyOf, recent, unstored }: SieveOptions,
): Promise<Staged> {
  const { last } = unstored.leased > 0 ? await session.one<{ last: number }>(LAST_IN_LINE) : { last: 0 }
  const table = await session.stage('fresh', COLUMNS)
  const fingerprints = new Set<bigint>()
  let [staged, leased, plain, starts] = [0, 0, false, false]
  for (const { request, fingerprint } of requests) {
    if (fingerprint !== null) {
      if (recent.has(fingerprint) || fingerprints.has(fingerprint) || unstored.seen?.has(fingerprint))
        continue
      fingerprints.add(fingerprint)
    }
    const { url, priority = 0, notBefore = 0, depth, from } = request
    // Where a start request was redirected to was not named by the user.
    const isStart = from === undefined && request.redirectedFrom === undefined
    const isLink = isPlain(request)
    const json = requestJson(request)
    table.add(
      ++staged,
      fingerprint,
      keyOf(url),
      url,
      priority,
      Math.ceil(notBefore),
      isLink,
      isStart,
      depth,
      json,
    )
    const lease = unstored.leaseOf(request)
    if (lease !== undefined) {
      lease.seq = last + staged
      leased++
    }
    plain ||= isLink
    starts ||= isStart
  }
  table.close()
  return { staged, leased, fingerprints, plain, starts }
}

const COLUMNS = {
  /** From 1, in order. */
  n: INTEGER,
  /** NULL: the request is exempt from the duplicate filter. */
  fp: UBIGINT,
  host: VARCHAR,
  url: VARCHAR,
  priority: DOUBLE,
  due: DOUBLE,
  plain: BOOLEAN,
  start: BOOLEAN,
  depth: INTEGER,
  request: VARCHAR,
}

/** Removes seen requests from `fresh`; returns how many. The hash table of the join is built from the few rows of `fresh`. */
async function dropSeen(session: Session): Promise<number> {
  await session.run('CREATE TEMP TABLE known AS SELECT f.n FROM seen s JOIN fresh f ON f.fp = s.fp')
  return session.run('DELETE FROM fresh WHERE n IN (SELECT n FROM known)')
}

const LAST_IN_LINE = 'SELECT coalesce(max(seq), 0)::DOUBLE AS last FROM requests'

const PUT_IN_LINE = `
  INSERT INTO requests
  SELECT (SELECT coalesce(max(seq), 0) FROM requests) + n, host, url, priority, due::BIGINT, 1, NULL, request FROM fresh ORDER BY n`

const REMEMBER = 'INSERT INTO seen SELECT fp FROM fresh WHERE fp IS NOT NULL'

/** The hosts of the start requests define the scope of a crawl. */
const NEW_SEED_HOSTS = `
  INSERT INTO seed_hosts
  SELECT ${hostSql('url')} AS seed_host, arg_min(url, n) FROM fresh WHERE start GROUP BY seed_host
  HAVING seed_host NOT IN (SELECT host FROM seed_hosts)`
