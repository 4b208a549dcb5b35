import type { JsonObject } from '../../base/json.ts'
import type { CrawlRequest } from '../../domain/frontier/crawl-request.ts'
import type { ScrapyDupefilter } from './fingerprints.ts'

/** The crawl that gets the requests of an import, and the Redis operations that the import needs. `adapters/redis` implements it. */
export interface ImportTarget {
  readonly crawl: string
  /**
   * The key of scrapy-redis, `<spider>:<name>` unless another is given.
   * @throws ConfigurationError for a key that a cluster keeps on another node than the crawl
   */
  scrapyKey(spider: string, name: 'requests' | 'dupefilter', key?: string): string
  /** Type, as Redis calls it, and number of entries. */
  keySize(key: string): Promise<readonly [type: string, size: number]>
  /** Pending requests from index `first` to `last`, without removing them; fewer if they are large, none at the end. */
  peek(queueKey: string, first: number, last: number, maxBytes: number): Promise<readonly PeekedEntry[]>
  /** How many of the fingerprints of each family are in a dupefilter. @param fingerprints one per family for each request */
  countMembers(dupefilterKey: string, families: number, fingerprints: readonly string[]): Promise<number[]>
  /** How the crawl remembers seen URLs; `undefined` if no worker has joined it yet. */
  seenRule(): Promise<TargetSeenRule | undefined>
  /** Joins the crawl as a worker. @param status reported to other processes */
  join(dupefilter: ImportedDupefilter | undefined, status: () => JsonObject): Promise<ImportSession>
}

export interface PeekedEntry {
  /** SHA-1 of its bytes. */
  readonly digest: string
  /** `undefined` if it is larger than `maxBytes`. */
  readonly bytes?: Uint8Array
}

export interface TargetSeenRule {
  readonly dupefilter: ScrapyDupefilter | 'own'
  /** The key of the dupefilter, or the base of the keys of the crawl that has the seen set. */
  readonly where: string
  /** For messages. */
  readonly description: string
}

export interface ImportedDupefilter {
  readonly kind: ScrapyDupefilter
  readonly key: string
}

export interface ImportSession {
  move(range: MovedRange, entries: readonly EntryToMove[]): Promise<Moved>
  leave(): Promise<void>
}

export interface MovedRange {
  readonly queueKey: string
  /** The list that gets unreadable requests. */
  readonly unreadableKey: string
  /** The requests stay in the queue as well. */
  readonly keep: boolean
  readonly first: number
  readonly last: number
}

export type EntryToMove =
  | { readonly digest: string; readonly request: CrawlRequest; readonly host: string }
  | { readonly digest: string; readonly problem: JsonObject }

/** Numbers of entries by result. An entry that is in none of these was taken by another process. */
export interface Moved {
  readonly imported: number
  /** Imported before with `keep`. */
  readonly known: number
  readonly unreadable: number
}
