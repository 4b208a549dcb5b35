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
  /** Whether there may be one among the new that is what a link is. */
  readonly plain: boolean
  write(): Promise<void>
  /** To be called when all is committed: from then on repeats are known without asking the database. */
  remember(): void
}

/**
 * Makes the temporary table `fresh` of those requests that were never seen, numbered in the order they came, and makes ready to put them in line.
 * What repeats within the call, or what was seen lately, does not get as far as the database.
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
  /** All that are in `seen` once this is committed, some of them already. */
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
  /** NULL: whoever asks it does not care whether it was seen. */
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

/** Returns how many of `fresh` went. The join runs over the few and looks at each of the many once. */
async function dropSeen(session: Session): Promise<number> {
  await session.run('CREATE TEMP TABLE known AS SELECT f.n FROM seen s JOIN fresh f ON f.fp = s.fp')
  return session.run('DELETE FROM fresh WHERE n IN (SELECT n FROM known)')
}

const PUT_IN_LINE = `
  INSERT INTO requests
  SELECT (SELECT coalesce(max(seq), 0) FROM requests) + n, host, url, priority, due::BIGINT, 1, NULL, request FROM fresh ORDER BY n`

const REMEMBER = 'INSERT INTO seen SELECT fp FROM fresh WHERE fp IS NOT NULL'

/** The scope of a crawl is counted from the hosts it began with. */
const NEW_SEED_HOSTS = `
  INSERT INTO seed_hosts
  SELECT ${hostSql('url')} AS seed_host, arg_min(url, n) FROM fresh WHERE start GROUP BY seed_host
  HAVING seed_host NOT IN (SELECT host FROM seed_hosts)`
