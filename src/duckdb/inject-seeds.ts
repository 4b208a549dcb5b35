import { DOUBLE, FLOAT, VARCHAR } from '@duckdb/node-api'
import type { InjectResult } from '../crawldb/crawl-db.ts'
import { type InjectRules, injectRecord, type Seed } from '../crawldb/inject-record.ts'
import { hostSql, type NewUrlSource, prepareNewUrls } from './new-urls.ts'
import { metadataJson, RECORD_COLUMNS, type RecordRow, recordOf } from './record-row.ts'
import type { Session } from './session.ts'
import { StagedRecords } from './staged-records.ts'

/** Adds seeds in one go: staged as they come, told from what is known by one join. */
export async function injectSeeds(
  session: Session,
  seeds: AsyncIterable<readonly Seed[]>,
  rules: InjectRules,
  now: number,
): Promise<InjectResult> {
  await stageSeeds(session, seeds, rules, now)
  await session.run(`
    CREATE TEMP TABLE seeds AS
    SELECT rowid AS n, md5_number_upper(url) AS fp, ${hostSql('url')} AS host, * FROM seed_lines;
    DROP TABLE seed_lines`)
  // Seldom many: what follows is done for numbers first, and for text only where those agree.
  await session.run(`
    CREATE TEMP TABLE repeats AS
    SELECT n FROM seeds WHERE fp IN (SELECT fp FROM seeds GROUP BY fp HAVING count(*) > 1)
    QUALIFY row_number() OVER (PARTITION BY fp, url ORDER BY n) > 1`)
  await session.run(`
    CREATE TEMP TABLE known AS
    SELECT s.n, u.rowid AS row_id FROM urls u JOIN seeds s ON u.fp = s.fp AND u.url = s.url ANTI JOIN repeats r ON r.n = s.n`)
  const counts = await session.one<{ repeated: number; merged: number }>(`
    SELECT (SELECT count(*) FROM repeats)::DOUBLE AS repeated, (SELECT count(*) FROM known)::DOUBLE AS merged`)

  await session.run(`
    CREATE TEMP TABLE new_seed_hosts AS
    SELECT host, arg_min(url, n) AS url FROM seeds WHERE host NOT IN (SELECT host FROM seed_hosts) GROUP BY host`)
  const change = counts.merged > 0 && (rules.existing ?? 'keep') !== 'keep'
  const changes = change ? await mergeSeeds(session, rules, now) : undefined
  if (counts.repeated + counts.merged > 0) {
    await session.run('DELETE FROM seeds WHERE n IN (SELECT n FROM repeats UNION ALL SELECT n FROM known)')
  }
  const fresh = await prepareNewUrls(session, [newSeeds(rules, now)])

  await session.begin()
  const injected = await fresh.write()
  await changes?.writeChanges()
  await session.run('INSERT INTO seed_hosts SELECT host, url FROM new_seed_hosts')
  return { injected, ...counts }
}

function newSeeds(rules: InjectRules, now: number): NewUrlSource {
  const { fetchTime } = rules.schedule.initialise(now)
  return {
    rows: `SELECT fp, url, host, score, ${fetchTime} AS fetch_time, fetch_interval::UINTEGER AS fetch_interval, metadata FROM seeds`,
    columns: ['score', 'fetch_time', 'fetch_interval', 'metadata'],
    hosts: 'SELECT host FROM seeds',
  }
}

/** The record each seed would be if nothing were known about it. */
async function stageSeeds(
  session: Session,
  seeds: AsyncIterable<readonly Seed[]>,
  rules: InjectRules,
  now: number,
): Promise<void> {
  // Only where known records may change is asked again what the line said.
  const keepLine = (rules.existing ?? 'keep') !== 'keep'
  const table = await session.stage('seed_lines', {
    url: VARCHAR,
    score: FLOAT,
    fetch_interval: DOUBLE,
    metadata: VARCHAR,
    ...(keepLine && { seed: VARCHAR }),
  })
  for await (const batch of seeds) {
    for (const seed of batch) {
      const { url, score, fetchInterval, metadata } = injectRecord(undefined, seed, rules, now)
      table.add(
        url,
        score,
        fetchInterval,
        metadataJson(metadata),
        ...(keepLine ? [JSON.stringify(seed)] : []),
      )
    }
  }
  table.close()
}

/** Lets the rules decide what a seed does to a record that is there. */
async function mergeSeeds(session: Session, rules: InjectRules, now: number): Promise<StagedRecords> {
  await session.run(`
    CREATE TEMP TABLE merges AS
    SELECT k.row_id::DOUBLE AS row_id, u.url, ${RECORD_COLUMNS}, l.seed
    FROM known k JOIN urls u ON u.rowid = k.row_id JOIN seeds l ON l.n = k.n`)
  const records = await StagedRecords.open(session)
  for await (const batch of session.batches<MergeRow>('merges')) {
    for (const row of batch) {
      const old = recordOf(row)
      const merged = injectRecord(old, JSON.parse(row.seed) as Seed, rules, now)
      if (merged !== old) records.add(row.row_id, merged)
    }
  }
  records.close()
  return records
}

interface MergeRow extends RecordRow {
  readonly row_id: number
  readonly seed: string
}
