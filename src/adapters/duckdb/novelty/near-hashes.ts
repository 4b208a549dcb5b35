import { INTEGER } from '@duckdb/node-api'
import type { Session } from '../session.ts'

/** Bits in which near-duplicates may differ. */
export const MAX_DISTANCE = 3
/**
 * The 64 bits in five blocks. If three bits differ, two blocks at least are equal: each pair of blocks is a key that near-duplicates share,
 * of 25 bits or more, which ten million random hashes seldom share.
 */
const BLOCKS = [
  { shift: 0, bits: 13 },
  { shift: 13, bits: 13 },
  { shift: 26, bits: 13 },
  { shift: 39, bits: 13 },
  { shift: 52, bits: 12 },
]
/** Hashes with one key that are compared with each other; with more, each is compared with the next ones in their order only. */
const MAX_NEIGHBOURS = 500

/**
 * Groups the hashes of the temporary table `near_hashes (id, sim_hash, scope)`. The ids are 0, 1, … in the order of preference. Creates
 * `near_leaders (id, leader)`: a hash joins the first leader that is near it, or is a leader itself.
 */
export async function groupNearHashes(session: Session): Promise<void> {
  await session.run('CREATE TEMP TABLE near_pairs (a INTEGER, b INTEGER)')
  for (const [i, first] of BLOCKS.entries())
    for (const second of BLOCKS.slice(i + 1)) await session.run(pairsBy(keyOf(first, second)))
  await session.run(`
    CREATE TEMP TABLE sorted_pairs AS SELECT DISTINCT a, b FROM near_pairs ORDER BY a, b;
    DROP TABLE near_pairs`)
  const { hashes } = await session.one<{ hashes: number }>(
    'SELECT count(*)::DOUBLE AS hashes FROM near_hashes',
  )
  const leaders = new Int32Array(hashes).fill(NONE)
  for await (const batch of session.batches<{ a: number; b: number }>('sorted_pairs'))
    for (const { a, b } of batch) {
      if (leaders[a] === NONE) leaders[a] = a
      if (leaders[a] === a && leaders[b] === NONE) leaders[b] = a
    }
  const staged = await session.stage('near_leaders', { id: INTEGER, leader: INTEGER })
  for (const [id, leader] of leaders.entries()) staged.add(id, leader === NONE ? id : leader)
  staged.close()
  await session.run('DROP TABLE sorted_pairs')
}

const NONE = -1

type Block = (typeof BLOCKS)[number]

function keyOf(...blocks: readonly [Block, Block]): string {
  const [low, high] = blocks.map(({ shift, bits }) => `((sim_hash >> ${shift}) & ${2 ** bits - 1})`)
  return `(${low} | (${high} << 13))`
}

/** Adds the pairs that share a key. Keys of a single hash, nearly all of them, are left out before the join. */
function pairsBy(key: string): string {
  return `
    INSERT INTO near_pairs
    WITH keyed AS (
      SELECT id, sim_hash, scope, ${key} AS key FROM near_hashes
    ), shared AS (
      SELECT key, scope FROM keyed GROUP BY key, scope HAVING count(*) > 1
    ), ranked AS (
      SELECT k.*, row_number() OVER (PARTITION BY k.key, k.scope ORDER BY k.sim_hash) AS place
      FROM keyed k SEMI JOIN shared s ON s.key = k.key AND s.scope = k.scope
    )
    SELECT least(x.id, y.id), greatest(x.id, y.id) FROM ranked x JOIN ranked y ON y.key = x.key AND y.scope = x.scope
    WHERE y.place > x.place AND y.place <= x.place + ${MAX_NEIGHBOURS} AND bit_count(xor(x.sim_hash, y.sim_hash)) <= ${MAX_DISTANCE}`
}
