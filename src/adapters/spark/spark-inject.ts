import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { InjectResult } from '../../domain/crawldb/crawl-db.ts'
import { changesKnown, type InjectRules, type SeedBatch } from '../../domain/crawldb/inject-record.ts'
import { StagedSeeds } from '../duckdb/staged-seeds.ts'
import type { NextVersion } from './crawl-versions.ts'
import type { RuleQueries } from './rule-queries.ts'
import { withScratch } from './scratch-database.ts'
import { newUrlRows, RECORD_INPUT, RECORD_RESULT, replacedRows, writeHosts } from './write-urls.ts'

/**
 * Adds seeds: they are staged as files, and one join finds the known URLs.
 * @param folder for the files; executors must see it. Deleted afterwards
 */
export async function injectOnSpark(
  next: NextVersion,
  rules: RuleQueries,
  folder: string,
  seeds: AsyncIterable<SeedBatch>,
  request: InjectRules,
  now: number,
): Promise<InjectResult> {
  const changes = changesKnown(request)
  try {
    const { files, lines } = await stageSeeds(folder, seeds, request, now, changes)
    await next.db.viewFiles('seeds', files, SEED_COLUMNS)
    const { injected, merged } = await addSeeds(next, rules, request, now, changes)
    return { injected, merged, repeated: lines - merged - injected }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function stageSeeds(
  folder: string,
  seeds: AsyncIterable<SeedBatch>,
  request: InjectRules,
  now: number,
  keepLines: boolean,
): Promise<{ files: readonly string[]; lines: number }> {
  await rm(folder, { recursive: true, force: true })
  return withScratch(join(folder, 'spill'), async (session) => {
    const staged = new StagedSeeds(session, folder, { keepLines })
    const lines = await staged.addAll(seeds, request, now)
    return { files: await staged.files(), lines }
  })
}

/** The columns of staged seeds that are needed here. */
const SEED_COLUMNS = {
  n: 'BIGINT',
  host: 'STRING',
  url: 'STRING',
  score: 'FLOAT',
  fetch_interval: 'DOUBLE',
  metadata: 'STRING',
  line: 'STRING',
}

async function addSeeds(
  next: NextVersion,
  rules: RuleQueries,
  request: InjectRules,
  now: number,
  changes: boolean,
): Promise<{ injected: number; merged: number }> {
  const { merged, injected, hosts } = await next.keep('located_seeds', LOCATED_SEEDS, {
    merged: 'count_if(known)',
    injected: 'count_if(NOT known)',
    hosts: 'count_if(new_seed_host)',
  })
  const isMerging = merged > 0 && changes
  if (isMerging) {
    const { defaultScore, existing } = request
    const plain = {
      ...(defaultScore !== undefined && { defaultScore }),
      ...(existing !== undefined && { existing }),
    }
    const select = `SELECT s.line, u.url, ${RECORD_INPUT} FROM located_seeds s JOIN urls u ON u.host = s.host AND u.url = s.url WHERE s.known`
    await next.keep(
      'merged_seeds',
      await rules.apply({ task: 'inject', now, rules: plain }, select, RECORD_RESULT, merged),
    )
  }
  if (injected > 0 || isMerging) {
    const { fetchTime } = request.schedule.initialise(now)
    const fresh = newUrlRows('located_seeds WHERE NOT known', {
      url: 'url',
      host: 'host',
      score: 'seed_score',
      fetch_time: String(Math.round(fetchTime)),
      fetch_interval: 'seed_interval',
      metadata: 'seed_metadata',
    })
    await next.write('urls', isMerging ? replacedRows('merged_seeds') : 'SELECT * FROM urls', fresh)
  }
  if (injected > 0) await writeHosts(next, rules, 'SELECT host FROM located_seeds WHERE NOT known')
  if (hosts > 0) await next.write('seed_hosts', 'SELECT * FROM seed_hosts', NEW_SEED_HOSTS)
  return { injected, merged }
}

/** Of seeds with the same URL the first counts. */
const LOCATED_SEEDS = `
  SELECT s.n, s.url, s.host, s.score AS seed_score, s.fetch_interval AS seed_interval, s.metadata AS seed_metadata, s.line,
    u.url IS NOT NULL AS known, k.host IS NULL AS new_seed_host
  FROM (SELECT *, row_number() OVER (PARTITION BY host, url ORDER BY n) AS place FROM (SELECT * FROM seeds DISTRIBUTE BY host)) s
  LEFT JOIN urls u ON u.host = s.host AND u.url = s.url
  LEFT JOIN seed_hosts k ON k.host = s.host
  WHERE s.place = 1`

const NEW_SEED_HOSTS =
  'SELECT host, min_by(url, n) AS url FROM located_seeds WHERE new_seed_host GROUP BY host'
