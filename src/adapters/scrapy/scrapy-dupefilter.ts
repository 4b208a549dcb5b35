import { ConfigurationError } from '../../base/crawl-error.ts'
import { DUPEFILTER_FAMILIES, type ScrapyDupefilter, scrapyFingerprint } from './fingerprints.ts'
import type { ImportTarget } from './import-target.ts'
import type { ScrapyEntry, ScrapyQueue } from './scrapy-queue.ts'

const ALL = Object.keys(DUPEFILTER_FAMILIES) as readonly ScrapyDupefilter[]

/** Number of fingerprints. @throws ConfigurationError if the key is not a set */
export async function dupefilterSize(target: ImportTarget, key: string): Promise<number> {
  const [kind, size] = await target.keySize(key)
  if (kind === 'set' || kind === 'none') return size
  throw new ConfigurationError(
    'CRAWL_MISMATCH',
    `${key} is a ${kind}, not a set of fingerprints: give another --dupefilter-key, or use --family none to import without it`,
  )
}

/**
 * Detects the family of the fingerprints in a dupefilter from some pending requests: each was added to it before it was queued, unless it has `dontFilter`.
 * @throws ConfigurationError if none of them is in it in any family
 */
export async function detectDupefilter(
  target: ImportTarget,
  key: string,
  queue: ScrapyQueue,
): Promise<ScrapyDupefilter> {
  let looked = 0
  for await (const entries of queue.entries()) {
    const found = await familyIn(target, key, entries)
    if (found !== undefined) return found
    looked += entries.length
    if (looked >= MAX_SAMPLE) break
  }
  throw new ConfigurationError(
    'CRAWL_MISMATCH',
    `no pending request of ${queue.key} is in ${key}, so the family of its fingerprints cannot be detected. ` +
      'Give --family a (scrapy-redis before 0.8), b (since 0.8) or c (Scrapy 2.7 and later), or --family none to import without it',
  )
}

const MAX_SAMPLE = 3_000

async function familyIn(
  target: ImportTarget,
  key: string,
  entries: readonly ScrapyEntry[],
): Promise<ScrapyDupefilter | undefined> {
  const fingerprints = entries.flatMap(({ reading, url }) => {
    if (!reading.ok || reading.request.dontFilter === true) return []
    const request = { ...reading.request, url }
    return ALL.map((name) => scrapyFingerprint(request, { family: DUPEFILTER_FAMILIES[name] }) ?? '')
  })
  const found = await target.countMembers(key, ALL.length, fingerprints)
  const most = found.reduce((max, count) => Math.max(max, count), 0)
  return most > 0 ? ALL[found.indexOf(most)] : undefined
}
