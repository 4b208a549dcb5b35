import { ConfigurationError } from '../../base/crawl-error.ts'
import type { UrlNormalizer } from '../../domain/url/normalize-url.ts'
import type { ImportTarget } from './import-target.ts'
import type { PickleReading } from './read-pickle.ts'
import { readSerialized } from './read-serialized.ts'
import { readScrapyRequest, type ScrapyRequestReading, type ScrapyRule } from './scrapy-request.ts'

/** A pending request of scrapy-redis. */
export interface ScrapyEntry {
  /** SHA-1 of its bytes. */
  readonly digest: string
  readonly reading: ScrapyRequestReading
  /** As Scrapy stored it; fingerprints are made from it. */
  readonly url: string
}

/** Maximum number of requests that one call reads or moves: Redis does nothing else meanwhile. */
export const SCRAPY_BATCH = 300

/** The pending requests of scrapy-redis: a sorted set, or a list. */
export class ScrapyQueue {
  readonly key: string
  readonly #target: ImportTarget
  readonly #normalize: UrlNormalizer
  readonly #rules: readonly ScrapyRule[]

  /**
   * @param rules of Python's spider, if it is a `CrawlSpider`
   */
  constructor(
    target: ImportTarget,
    key: string,
    normalize: UrlNormalizer,
    rules: readonly ScrapyRule[] = [],
  ) {
    this.#target = target
    this.key = key
    this.#normalize = normalize
    this.#rules = rules
  }

  /** Number of pending requests. @throws ConfigurationError if the key holds something else */
  async count(): Promise<number> {
    const [kind, count] = await this.#target.keySize(this.key)
    if (kind === 'zset' || kind === 'list' || kind === 'none') return count
    throw new ConfigurationError(
      'REDIS_KEY_INVALID',
      `${this.key} is a ${kind}: scrapy-redis keeps its pending requests in a sorted set or a list. Check --requests-key`,
    )
  }

  /** Some requests from index `first`; fewer if they are large, none at the end. */
  async peek(first: number): Promise<readonly ScrapyEntry[]> {
    const peeked = await this.#target.peek(this.key, first, first + SCRAPY_BATCH - 1, MAX_REQUEST_BYTES)
    return peeked.map(({ digest, bytes }) => {
      const data = bytes === undefined ? TOO_LONG : readSerialized(bytes)
      const reading = data.ok ? readScrapyRequest(data.value, this.#normalize, this.#rules) : data
      return { digest, reading, url: urlIn(data) }
    })
  }

  /** All requests in batches, without removing them. */
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

const TOO_LONG: PickleReading = { ok: false, reason: `more than ${MAX_REQUEST_BYTES} bytes`, offset: 0 }

function urlIn(data: PickleReading): string {
  const url = data.ok && data.value instanceof Map ? data.value.get('url') : undefined
  return typeof url === 'string' ? url : ''
}
