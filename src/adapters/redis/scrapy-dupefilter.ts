import { ConfigurationError } from '../../base/crawl-error.ts'
import { scrapyFingerprint } from '../scrapy/fingerprints.ts'
import type { Job } from './job.ts'
import { SCRIPTS } from './redis-scripts.ts'
import type { ScrapyEntry, ScrapyQueue } from './scrapy-queue.ts'
import { FAMILIES } from './seen-fingerprint.ts'
import type { Dupefilter } from './seen-options.ts'

export type ScrapyDupefilter = Exclude<Dupefilter, 'own'>

const ALL = Object.keys(FAMILIES) as readonly ScrapyDupefilter[]

/** How many fingerprints there are. @throws ConfigurationError when the key holds something else */
export async function dupefilterSize(job: Job, key: string): Promise<number> {
  const [kind, size] = (await job.run(SCRIPTS.scrapyKeySize, {}, [key])) as [string, number]
  if (kind === 'set' || kind === 'none') return size
  throw new ConfigurationError(
    'CRAWL_MISMATCH',
    `${key} is a ${kind}, and no set of fingerprints: give another --dupefilter-key, or --family none to do without`,
  )
}

/**
 * Finds out whose fingerprints a dupefilter has, by some of the requests that wait: each was remembered before it was queued, unless it was
 * not to be filtered.
 * @throws ConfigurationError when none of them is known by any
 */
export async function detectDupefilter(job: Job, key: string, queue: ScrapyQueue): Promise<ScrapyDupefilter> {
  let looked = 0
  for await (const entries of queue.entries()) {
    const found = await familyIn(job, key, entries)
    if (found !== undefined) return found
    looked += entries.length
    if (looked >= MAX_SAMPLE) break
  }
  throw new ConfigurationError(
    'CRAWL_MISMATCH',
    `no request that waits in ${queue.key} is in ${key}, so that it cannot be found out which fingerprints are there. ` +
      'Say --family a (scrapy-redis before 0.8), b (since) or c (Scrapy 2.7 and later), or --family none to do without them',
  )
}

const MAX_SAMPLE = 3_000

async function familyIn(
  job: Job,
  key: string,
  entries: readonly ScrapyEntry[],
): Promise<ScrapyDupefilter | undefined> {
  const fingerprints = entries.flatMap(({ reading, url }) => {
    if (!reading.ok || reading.request.dontFilter === true) return []
    const request = { ...reading.request, url }
    return ALL.map((name) => scrapyFingerprint(request, { family: FAMILIES[name] }) ?? '')
  })
  const args = [key, String(ALL.length), ...fingerprints] as const
  const found = (await job.run(SCRIPTS.countMembers, {}, args)) as number[]
  const most = found.reduce((max, count) => Math.max(max, count), 0)
  return most > 0 ? ALL[found.indexOf(most)] : undefined
}
