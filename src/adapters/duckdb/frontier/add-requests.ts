import { BOOLEAN, DOUBLE, INTEGER, UBIGINT, VARCHAR } from '@duckdb/node-api'
import { type CrawlRequest, fingerprintOf, isPlain } from '../../../domain/frontier/crawl-request.ts'
import type { Added } from '../../../domain/frontier/frontier.ts'
import type { RecentFingerprints } from '../../../domain/frontier/recent-fingerprints.ts'
import { hostSql } from '../new-urls.ts'
import type { Session } from '../session.ts'
import { requestJson } from './leased-request.ts'

export interface SieveOptions {
  readonly keyOf: (url: string) => string
  readonly recent: RecentFingerprints
}

export interface Sieved extends Added {
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
  requests: readonly CrawlRequest[],
  options: SieveOptions,
): Promise<Sieved> {
  const { staged, fingerprints, plain, starts } = await stageRequests(session, requests, options)
  const added = staged - (fingerprints.size === 0 ? 0 : await dropSeen(session))
  return {
    added,
    duplicates: requests.length - added,
    plain,
    async write() {
      if (added === 0) return
      await session.run(PUT_IN_LINE)
      if (fingerprints.size > 0) await session.run(REMEMBER)
      if (starts) await session.run(NEW_SEED_HOSTS)
    },
    remember() {
      for (const fingerprint of fingerprints) options.recent.add(fingerprint)
    },
  }
}

interface Staged {
  readonly staged: number
  /** Fingerprints that are in `seen` after the commit. */
  readonly fingerprints: ReadonlySet<bigint>
  readonly plain: boolean
  readonly starts: boolean
}

async function stageRequests(
  session: Session,
  requests: readonly CrawlRequest[],
  { keyOf, recent }: SieveOptions,
): Promise<Staged> {
  const table = await session.stage('fresh', COLUMNS)
  const fingerprints = new Set<bigint>()
  let [staged, plain, starts] = [0, false, false]
  for (const request of requests) {
    const fingerprint = request.dontFilter === true ? null : fingerprintOf(request)
    if (fingerprint !== null) {
      if (recent.has(fingerprint) || fingerprints.has(fingerprint)) continue
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
    plain ||= isLink
    starts ||= isStart
  }
  table.close()
  return { staged, fingerprints, plain, starts }
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

const PUT_IN_LINE = `
  INSERT INTO requests
  SELECT (SELECT coalesce(max(seq), 0) FROM requests) + n, host, url, priority, due::BIGINT, 1, NULL, request FROM fresh ORDER BY n`

const REMEMBER = 'INSERT INTO seen SELECT fp FROM fresh WHERE fp IS NOT NULL'

/** The hosts of the start requests define the scope of a crawl. */
const NEW_SEED_HOSTS = `
  INSERT INTO seed_hosts
  SELECT ${hostSql('url')} AS seed_host, arg_min(url, n) FROM fresh WHERE start GROUP BY seed_host
  HAVING seed_host NOT IN (SELECT host FROM seed_hosts)`
