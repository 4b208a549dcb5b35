import type { InjectResult } from '../../domain/crawldb/crawl-db.ts'
import {
  changesKnown,
  type InjectRules,
  injectRecord,
  type Seed,
  type SeedBatch,
} from '../../domain/crawldb/inject-record.ts'
import { type RecordRow, recordOf } from '../../domain/crawldb/record-row.ts'
import { type NewUrlSource, prepareNewUrls } from './new-urls.ts'
import { RECORD_COLUMNS } from './schema.ts'
import type { Session } from './session.ts'
import { StagedRecords } from './staged-records.ts'
import { StagedSeeds } from './staged-seeds.ts'

/**
 * Adds seeds in one transaction: they are staged as they arrive, and one join finds the known URLs.
 * @param folder for seeds that are too many for memory; deleted afterwards
 */
export async function injectSeeds(
  session: Session,
  folder: string,
  seeds: AsyncIterable<SeedBatch>,
  rules: InjectRules,
  now: number,
): Promise<InjectResult> {
  const staged = new StagedSeeds(session, folder, { keepLines: changesKnown(rules) })
  try {
    await staged.addAll(seeds, rules, now)
    return await addSeeds(session, rules, now)
  } finally {
    await staged.remove()
  }
}

async function addSeeds(session: Session, rules: InjectRules, now: number): Promise<InjectResult> {
  const counts = await findSeenSeeds(session)
  await session.run(
    'CREATE TEMP TABLE first_of_hosts AS SELECT host, arg_min(url, n) AS url FROM seeds GROUP BY host',
  )
  const change = counts.merged > 0 && changesKnown(rules)
  const changes = change ? await mergeSeeds(session, rules, now) : undefined
  const allNew = counts.repeated + counts.merged === 0
  const fresh = await prepareNewUrls(session, [newSeeds(rules, now, allNew)])

  await session.begin()
  const injected = await fresh.write()
  await changes?.writeChanges()
  await session.run(
    'INSERT INTO seed_hosts SELECT host, url FROM first_of_hosts WHERE host NOT IN (SELECT host FROM seed_hosts)',
  )
  return { injected, ...counts }
}

/**
 * Counts the seeds that come after one with the same URL, and those whose URL is in `urls`. If there are any, they are in the tables `repeats` and
 * `known`.
 */
async function findSeenSeeds(session: Session): Promise<Pick<InjectResult, 'repeated' | 'merged'>> {
  const may = await session.one<{ repeat: boolean; beKnown: boolean }>(
    'SELECT count(*) > count(DISTINCT fp) AS repeat, EXISTS (FROM urls) AS "beKnown" FROM seeds',
  )
  // The usual case of a first inject: neither table is needed.
  if (!may.repeat && !may.beKnown) return { repeated: 0, merged: 0 }
  // Seldom many: what follows is done for numbers first, and for text only where those agree.
  await session.run(
    may.repeat
      ? `CREATE TEMP TABLE repeats AS
         SELECT n FROM seeds WHERE fp IN (SELECT fp FROM seeds GROUP BY fp HAVING count(*) > 1)
         QUALIFY row_number() OVER (PARTITION BY fp, url ORDER BY n) > 1`
      : 'CREATE TEMP TABLE repeats (n BIGINT)',
  )
  await session.run(`
    CREATE TEMP TABLE known AS
    SELECT s.n, u.rowid AS row_id FROM urls u JOIN seeds s ON u.fp = s.fp AND u.url = s.url ANTI JOIN repeats r ON r.n = s.n`)
  return session.one<{ repeated: number; merged: number }>(`
    SELECT (SELECT count(*) FROM repeats)::DOUBLE AS repeated, (SELECT count(*) FROM known)::DOUBLE AS merged`)
}

function newSeeds(rules: InjectRules, now: number, allNew: boolean): NewUrlSource {
  const { fetchTime } = rules.schedule.initialise(now)
  const isNew = allNew ? 'true' : 'n NOT IN (SELECT n FROM repeats UNION ALL SELECT n FROM known)'
  return {
    rows: `SELECT fp, url, host, score, ${fetchTime} AS fetch_time, fetch_interval::UINTEGER AS fetch_interval, metadata
      FROM seeds WHERE ${isNew}`,
    columns: ['score', 'fetch_time', 'fetch_interval', 'metadata'],
    // The host of a seed that is not new is known.
    hosts: 'SELECT host FROM first_of_hosts',
  }
}

/** Applies the inject rules to seeds whose URL is known. */
async function mergeSeeds(session: Session, rules: InjectRules, now: number): Promise<StagedRecords> {
  await session.run(`
    CREATE TEMP TABLE merges AS
    SELECT k.row_id::DOUBLE AS row_id, u.url, ${RECORD_COLUMNS}, l.line
    FROM known k JOIN urls u ON u.rowid = k.row_id JOIN seeds l ON l.n = k.n`)
  const records = await StagedRecords.open(session)
  for await (const batch of session.batches<MergeRow>('merges')) {
    for (const row of batch) {
      const old = recordOf(row)
      const merged = injectRecord(old, JSON.parse(row.line) as Seed, rules, now)
      if (merged !== old) records.add(row.row_id, merged)
    }
  }
  records.close()
  return records
}

interface MergeRow extends RecordRow {
  readonly row_id: number
  readonly line: string
}
