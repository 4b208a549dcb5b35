import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { connectToMemory } from '../../../../testing/memory-database.ts'
import { hammingDistance } from '../../../domain/content/sim-hash.ts'
import { Session } from '../session.ts'
import { groupNearHashes, MAX_DISTANCE } from './near-hashes.ts'

let session: Session
beforeAll(async () => {
  session = new Session(await connectToMemory())
})
afterAll(() => session.close())

async function leadersOf(hashes: readonly string[]): Promise<number[]> {
  const rows = hashes.map((hash, id) => `(${id}, '0x${hash}'::UBIGINT, 0::UBIGINT)`)
  await session.run(
    `CREATE OR REPLACE TEMP TABLE near_hashes AS SELECT * FROM (VALUES ${rows.join(', ')}) t(id, sim_hash, scope)`,
  )
  await groupNearHashes(session)
  const leaders = await session.all<{ leader: number }>('SELECT leader FROM near_leaders ORDER BY id')
  await session.run('DROP TABLE near_leaders')
  return leaders.map(({ leader }) => leader)
}

/** Each hash with every one before it. */
function expectedLeaders(hashes: readonly string[]): number[] {
  const leaders: number[] = []
  for (const [i, hash] of hashes.entries()) {
    const isNear = (j: number) => leaders[j] === j && hammingDistance(hashes[j] ?? '', hash) <= MAX_DISTANCE
    leaders.push([...hashes.keys()].slice(0, i).find(isNear) ?? i)
  }
  return leaders
}

/** Hashes around a few centres, from none to five bits away. */
const nearHashes = fc.uniqueArray(
  fc.tuple(fc.nat({ max: 3 }), fc.array(fc.nat({ max: 63 }), { maxLength: 5 })).map(([centre, bits]) => {
    let hash = BigInt(centre) * 0x5851f42d4c957f2dn
    for (const bit of bits) hash ^= 1n << BigInt(bit)
    return BigInt.asUintN(64, hash).toString(16).padStart(16, '0')
  }),
  { minLength: 1, maxLength: 40 },
)

it('groups hashes as a comparison of all pairs does', async () => {
  await fc.assert(
    fc.asyncProperty(nearHashes, async (hashes) => {
      expect(await leadersOf(hashes)).toEqual(expectedLeaders(hashes))
    }),
    { numRuns: 15 },
  )
})
