import { randomBytes } from 'node:crypto'
import { hostOf } from '../../domain/url/host-of.ts'
import { normalizeUrl, type UrlNormalizer } from '../../domain/url/normalize-url.ts'
import { batches } from './batches.ts'
import { crawlRules, crawlShards, guestOf } from './job.ts'
import { type JobKeys, type JobKeysOptions, jobKeys } from './keys.ts'
import type { RedisConnection } from './redis-connection.ts'
import { SCRIPTS } from './redis-scripts.ts'
import { readSeenText, type SeenRule, seenFingerprint } from './seen-options.ts'
import { shardOf } from './shards.ts'

export interface ForgetOptions extends JobKeysOptions {
  /** As the spider's. @default normalizeUrl */
  readonly normalize?: UrlNormalizer
  /** The host queue of a URL, as for the workers. @default hostOf */
  readonly keyOf?: (url: string) => string
}

export interface Forgotten {
  /** URLs that had been seen. */
  readonly known: number
  /** Where: others may use the same set. */
  readonly seen: SeenRule
}

/**
 * The next request for one of these URLs (GET, without a body) is new again, whatever became of the last. One that still waits is not taken back, so
 * that it may then be fetched twice.
 * @throws ConfigurationError for a name that no crawl can have
 */
export async function forgetUrls(
  connection: RedisConnection,
  crawl: string,
  urls: readonly string[],
  { normalize = normalizeUrl, keyOf = hostOf, ...keysOptions }: ForgetOptions = {},
): Promise<Forgotten> {
  const shards = await crawlShards(connection, crawl, keysOptions)
  const home = jobKeys(crawl, connection.isCluster, keysOptions)
  const seen = (await crawlRules(connection, home))?.seen ?? readSeenText('', home.base)
  const fingerprint = seenFingerprint(seen.dupefilter)
  const fingerprintOf = (url: string) => fingerprint({ url, handler: '', depth: 0 })
  const caller = randomBytes(6).toString('hex')
  const forgetIn = async (keys: JobKeys, some: readonly string[]): Promise<number> => {
    // Python's workers remember a URL as it was written, ours in its normal form.
    const args = some.map((url) => [url, normalUrl(url)].map(fingerprintOf))
    const job = guestOf(connection, keys)
    let known = 0
    for (const [call, part] of batches(args, MAX_BATCH).entries())
      known += Number(await job.run(SCRIPTS.forget, { call: call + 1 }, [caller, ...part.flat()]))
    return known
  }
  const normalUrl = (url: string) => {
    const normal = normalize(url)
    return normal.ok ? normal.url : url
  }
  const byShard = Map.groupBy(urls, (url) => shards[shardOf(keyOf(normalUrl(url)), shards.length)] ?? home)
  const known = await Promise.all([...byShard].map(([keys, some]) => forgetIn(keys, some)))
  return { known: known.reduce((sum, count) => sum + count, 0), seen }
}

/** URLs that one script looks up at most: Redis does nothing else meanwhile. */
const MAX_BATCH = 1_000
