import type { FleetCounts, FleetWorker } from '../../domain/frontier/fleet.ts'
import type { StoredWorker } from './read-status.ts'

/** The counters of all shards together. */
export function addCounts(shards: readonly FleetCounts[]): FleetCounts {
  const [first, ...others] = shards
  if (first === undefined) throw new RangeError('a crawl has at least one shard')
  const sum: { -readonly [name in keyof FleetCounts]: number } = { ...first }
  for (const counts of others)
    for (const name of Object.keys(sum) as Array<keyof FleetCounts>) sum[name] += counts[name]
  return sum
}

/** The sums of counts by name. */
export function addByName(
  counts: readonly Readonly<Record<string, number>>[],
): Readonly<Record<string, number>> {
  const sums = new Map<string, number>()
  for (const [name, count] of counts.flatMap((one) => Object.entries(one)))
    sums.set(name, (sums.get(name) ?? 0) + count)
  return Object.fromEntries(sums)
}

/**
 * The workers of all shards: each process once, as the home shard knows it, with what it has in all of them.
 * @param shards those of the home shard first
 */
export function mergeWorkers(shards: ReadonlyArray<readonly StoredWorker[]>): FleetWorker[] {
  const merged = new Map<string, StoredWorker>()
  for (const worker of shards.flat()) {
    const { identity, leased, hosts } = worker
    const known = merged.get(identity)
    if (known === undefined) merged.set(identity, worker)
    else merged.set(identity, { ...known, leased: known.leased + leased, hosts: known.hosts + hosts })
  }
  return [...merged.values()].map(({ identity: _, ...worker }) => worker)
}
