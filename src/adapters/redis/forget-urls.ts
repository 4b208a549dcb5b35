import { randomBytes } from 'node:crypto'
import { normalizeUrl, type UrlNormalizer } from '../../domain/url/normalize-url.ts'
import { batches } from './batches.ts'
import { crawlRules, guestOf } from './job.ts'
import { type JobKeysOptions, jobKeys } from './keys.ts'
import type { RedisConnection } from './redis-connection.ts'
import { SCRIPTS } from './redis-scripts.ts'
import { readSeenText, type SeenRule, seenFingerprint } from './seen-options.ts'

export interface ForgetOptions extends JobKeysOptions {
  /** As the spider's. @default normalizeUrl */
  readonly normalize?: UrlNormalizer
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
  { normalize = normalizeUrl, ...keysOptions }: ForgetOptions = {},
): Promise<Forgotten> {
  const keys = jobKeys(crawl, connection.isCluster, keysOptions)
  const seen = (await crawlRules(connection, keys))?.seen ?? readSeenText('', keys.base)
  const fingerprint = seenFingerprint(seen.dupefilter)
  const fingerprintOf = (url: string) => fingerprint({ url, handler: '', depth: 0 })
  // Python's workers remember a URL as it was written, ours in its normal form.
  const args = urls.map((url) => {
    const normal = normalize(url)
    return [url, normal.ok ? normal.url : url].map(fingerprintOf)
  })
  const job = guestOf(connection, keys)
  const caller = randomBytes(6).toString('hex')
  let known = 0
  for (const [call, part] of batches(args, MAX_BATCH).entries())
    known += Number(await job.run(SCRIPTS.forget, { call: call + 1 }, [caller, ...part.flat()]))
  return { known, seen }
}

/** URLs that one script looks up at most: Redis does nothing else meanwhile. */
const MAX_BATCH = 1_000
