import { ConfigurationError } from '../../base/crawl-error.ts'
import type { UrlNormalizer } from '../../domain/url/normalize-url.ts'
import type { PickleReading } from '../scrapy/read-pickle.ts'
import { readSerialized } from '../scrapy/read-serialized.ts'
import { readScrapyRequest, type ScrapyRequestReading, type ScrapyRule } from '../scrapy/scrapy-request.ts'
import type { Job } from './job.ts'
import { SCRIPTS } from './redis-scripts.ts'

/** A request that waits in the queue of scrapy-redis. */
export interface ScrapyEntry {
  /** SHA-1 of its bytes. */
  readonly digest: string
  readonly reading: ScrapyRequestReading
  /** As Python has it, which its fingerprints are made of. */
  readonly url: string
}

/** Requests that are looked at, and moved, in one call at most: Redis does nothing else meanwhile. */
export const SCRAPY_BATCH = 300

/** The pending requests of scrapy-redis: a sorted set, or a list. */
export class ScrapyQueue {
  readonly key: string
  readonly #job: Job
  readonly #normalize: UrlNormalizer
  readonly #rules: readonly ScrapyRule[]

  /**
   * @param job whose keys are on the same node
   * @param rules of Python's spider, if it is a `CrawlSpider`
   */
  constructor(job: Job, key: string, normalize: UrlNormalizer, rules: readonly ScrapyRule[] = []) {
    this.#job = job
    this.key = key
    this.#normalize = normalize
    this.#rules = rules
  }

  /** How many wait. @throws ConfigurationError when the key holds something else */
  async count(): Promise<number> {
    const [kind, count] = (await this.#job.run(SCRIPTS.scrapyKeySize, {}, [this.key])) as [string, number]
    if (kind === 'zset' || kind === 'list' || kind === 'none') return count
    throw new ConfigurationError(
      'REDIS_KEY_INVALID',
      `${this.key} is a ${kind}: scrapy-redis keeps its pending requests in a sorted set or a list. Look at --requests-key`,
    )
  }

  /** Some of them, from the one that comes `first` (0 is next); fewer when they are large, none at the end. */
  async peek(first: number): Promise<readonly ScrapyEntry[]> {
    const range = [String(first), String(first + SCRAPY_BATCH - 1)] as const
    const args = [this.key, ...range, String(MAX_REQUEST_BYTES), String(MAX_CALL_BYTES)] as const
    const list = (await this.#job.run(SCRIPTS.peekScrapy, {}, args)) as string[]
    const entries: ScrapyEntry[] = []
    for (let i = 0; i < list.length; i += 2) {
      const [digest = '', hex = ''] = list.slice(i, i + 2)
      const data = hex === 'long' ? TOO_LONG : readSerialized(Buffer.from(hex, 'hex'))
      const reading = data.ok ? readScrapyRequest(data.value, this.#normalize, this.#rules) : data
      entries.push({ digest, reading, url: urlIn(data) })
    }
    return entries
  }

  /** All of them, some at a time. They stay where they are. */
  async *entries(): AsyncGenerator<readonly ScrapyEntry[]> {
    for (let first = 0; ; ) {
      const entries = await this.peek(first)
      if (entries.length === 0) return
      yield entries
      first += entries.length
    }
  }
}

const MAX_REQUEST_BYTES = 4 * 1024 * 1024
const MAX_CALL_BYTES = 1024 * 1024

const TOO_LONG: PickleReading = { ok: false, reason: `more than ${MAX_REQUEST_BYTES} bytes`, offset: 0 }

function urlIn(data: PickleReading): string {
  const url = data.ok && data.value instanceof Map ? data.value.get('url') : undefined
  return typeof url === 'string' ? url : ''
}
