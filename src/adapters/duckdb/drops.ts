import { DropCounter, type DropCounts } from '../../base/drop-counts.ts'
import { truncationReason } from '../../domain/segment/fetch-failure.ts'
import { hasTable } from './schema.ts'
import type { Session } from './session.ts'

/* The table `drops`: what rules and limits have dropped over all visits, by reason. At most about a hundred rows. */

/** Nothing in a database from before drops were counted that was only ever read since. */
export async function readDrops(session: Session): Promise<DropCounts> {
  if (!(await hasTable(session, 'drops'))) return {}
  const rows = await session.all<DropRow>(
    'SELECT reason, drops::DOUBLE AS drops FROM drops ORDER BY drops DESC, reason',
  )
  return Object.fromEntries(rows.map(({ reason, drops }) => [reason, drops]))
}

/** Adds to the counts, in the transaction of the caller. */
export async function addDrops(session: Session, counts: DropCounts): Promise<void> {
  if (Object.keys(counts).length === 0) return
  const drops = new DropCounter()
  drops.addAll(await readDrops(session))
  drops.addAll(counts)
  await session.run('DELETE FROM drops')
  for (const [reason, count] of Object.entries(drops.counts()))
    await session.run('INSERT INTO drops VALUES ($1, $2::UBIGINT)', [reason, count])
}

/**
 * Sums what the visits in the temporary table `fetched` dropped, and takes these columns out of it again: nothing else needs them.
 * A visit that is not parsed yet is counted when it is.
 */
export async function takeVisitDrops(session: Session): Promise<DropCounts> {
  const links = await session.all<DropRow>(`
    SELECT entry.key AS reason, sum(entry.value)::DOUBLE AS drops
    FROM (
      SELECT unnest(map_entries(from_json(visit_dropped, '"MAP(VARCHAR, UBIGINT)"'))) AS entry
      FROM fetched WHERE visit_dropped IS NOT NULL
    ) GROUP BY ALL`)
  const bodies = await session.all<DropRow>(`
    SELECT visit_truncated AS reason, count(*)::DOUBLE AS drops
    FROM fetched WHERE visit_truncated IS NOT NULL AND score_given IS NOT NULL GROUP BY ALL`)
  await session.run(
    'ALTER TABLE fetched DROP COLUMN visit_dropped; ALTER TABLE fetched DROP COLUMN visit_truncated',
  )
  const drops = new DropCounter()
  for (const { reason, drops: count } of links) drops.add(reason, count)
  for (const { reason, drops: count } of bodies) drops.add(truncationReason(reason), count)
  return drops.counts()
}

interface DropRow {
  readonly reason: string
  readonly drops: number
}
