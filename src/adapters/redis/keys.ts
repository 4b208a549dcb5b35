import { ConfigurationError } from '../../base/crawl-error.ts'
import { type Shard, shardTag } from './shards.ts'

/** The keys of one crawl. */
export interface JobKeys {
  /** What all its keys begin with; the scripts append the names below. */
  readonly base: string
  /** The list that items are pushed to, as scrapy-redis has it. */
  readonly items: string
}

export interface JobKeysOptions {
  /** Before every key but that of the items. @default 'orbweaver:' */
  readonly prefix?: string
  /** @default '<job>:items', which is scrapy-redis's; '{<job>}:items' in a cluster */
  readonly items?: string
  /** Number of shards that the crawl must have. @default what it has; 1 if it is new */
  readonly shards?: number
  /** Which part of the crawl. @default the home shard, whose keys are those of a crawl without shards */
  readonly shard?: Shard
}

/**
 * Every key of a job carries its name as a hash tag: a cluster keeps them on one node, so that a script can see them all. The keys of a shard carry
 * the tag of the shard.
 * @param cluster whether the items must be on that node, too
 */
export function jobKeys(job: string, cluster: boolean, options: JobKeysOptions = {}): JobKeys {
  if (!/^[^\s{}\p{Cc}]+$/u.test(job))
    throw new ConfigurationError(
      'REDIS_KEY_INVALID',
      `a crawl in Redis cannot be called ${JSON.stringify(job)}: its name may not be empty, nor have spaces or braces`,
    )
  const { prefix = 'orbweaver:', items = sharedKey(job, cluster, 'items') } = options
  if (/[{}]/.test(prefix))
    throw new ConfigurationError('REDIS_KEY_INVALID', `a prefix of keys may not have braces: ${prefix}`)
  if (cluster) checkTag(job, items, 'the items')
  const { shard } = options
  if (shard === undefined || shard.number === 0) return { base: `${prefix}{${job}}`, items }
  // Names of crawls may look like tags of shards, so the keys begin differently.
  const tag = `shard:{${shardTag(job, shard)}}`
  return { base: prefix + tag, items: `${tag}:${options.items ?? 'items'}` }
}

/** The keys of all shards of a crawl, those of the home shard first. */
export type ShardKeys = readonly [JobKeys, ...JobKeys[]]

/** @param of number of shards */
export function shardKeys(
  job: string,
  cluster: boolean,
  of: number,
  options: JobKeysOptions = {},
): ShardKeys {
  const [home, ...others] = Array.from({ length: of }, (_, number) =>
    jobKeys(job, cluster, { ...options, shard: { number, of } }),
  )
  return [home ?? jobKeys(job, cluster, options), ...others]
}

/** The crawl that a key belongs to; `undefined` if it belongs to none. */
export function crawlOfKey(key: string): string | undefined {
  return /^orbweaver:\{([^\s{}\p{Cc}]+)\}:/u.exec(key)?.[1]
}

/** The keys of its start messages, which any program may push. */
export interface StartKeys extends JobKeys {
  readonly startUrls: string
  /** The list for those that could not be read. */
  readonly malformedStarts: string
}

export interface StartKeysOptions extends JobKeysOptions {
  /** @default '<job>:start_urls', which is scrapy-redis's; '{<job>}:start_urls' in a cluster */
  readonly startUrls?: string
}

/** @param cluster whether they must be where the other keys of the job are */
export function startKeys(job: string, cluster: boolean, options: StartKeysOptions = {}): StartKeys {
  const keys = jobKeys(job, cluster, options)
  const { startUrls = sharedKey(job, cluster, 'start_urls') } = options
  if (cluster) checkTag(job, startUrls, 'the start messages')
  return { ...keys, startUrls, malformedStarts: `${startUrls}:malformed` }
}

/** One that scrapy-redis knows. */
export function sharedKey(job: string, cluster: boolean, name: string): string {
  return cluster ? `{${job}}:${name}` : `${job}:${name}`
}

/** @throws ConfigurationError for a key that a cluster may keep elsewhere than those of the job */
export function checkTag(job: string, key: string, what: string): void {
  // A cluster goes by the first braces alone.
  if (/\{(.*?)\}/s.exec(key)?.[1] === job) return
  throw new ConfigurationError(
    'REDIS_KEY_INVALID',
    `in a Redis Cluster the key of ${what} must contain {${job}}, and no other braces before it, as all keys of a crawl do: ${key}`,
  )
}

/**
 * The keys of a crawl: what follows its base, and the group of keys it belongs to. Names that end in a colon are families: a host, a worker's number or a bucket
 * follows. `scripts/shared/keys.lua` has the same names, README.md what each holds. Clearing a crawl keeps the group `hosts`: a new crawl must respect the delays.
 */
export const KEYS = {
  counts: ['counts', 'counts'],
  requests: ['requests', 'crawl'],
  seen: ['seen:', 'crawl'],
  wait: ['wait:', 'crawl'],
  free: ['free', 'crawl'],
  resting: ['resting', 'crawl'],
  delayed: ['delayed', 'crawl'],
  owners: ['owners', 'crawl'],
  paces: ['paces', 'hosts'],
  lost: ['lost', 'hosts'],
  fades: ['fades', 'hosts'],
  robots: ['robots:', 'hosts'],
  workers: ['workers', 'crawl'],
  worker: ['worker:', 'crawl'],
  held: ['held:', 'crawl'],
  open: ['open:', 'crawl'],
  leased: ['leased:', 'crawl'],
  dead: ['dead', 'crawl'],
  malformed: ['malformed', 'crawl'],
  rejected: ['rejected', 'items'],
  itemUrls: ['item-urls', 'items'],
  itemTakings: ['item-takings', 'items'],
  itemTaking: ['item-taking:', 'items'],
  itemsTaken: ['items-taken', 'consumers'],
  consumer: ['consumer:', 'consumers'],
  takings: ['takings', 'starts'],
  taking: ['taking:', 'starts'],
  pushed: ['pushed:', 'pushers'],
  imported: ['imported', 'crawl'],
  namedHosts: ['named-hosts', 'crawl'],
  hostDelays: ['host-delays', 'crawl'],
  handovers: ['handovers', 'crawl'],
  budget: ['budget', 'crawl'],
  hostPages: ['host-pages', 'crawl'],
  cookies: ['cookies', 'crawl'],
  sessions: ['sessions', 'crawl'],
  sessionLeases: ['session-leases', 'crawl'],
} as const

export type KeyGroup = (typeof KEYS)[keyof typeof KEYS][1]

/** Names of the keys of a group after the base: single keys, and families. */
export function namesOf(group: KeyGroup): { readonly keys: string[]; readonly families: string[] } {
  const names = Object.values(KEYS).flatMap(([name, of]) => (of === group ? [name] : []))
  return {
    keys: names.filter((name) => !name.endsWith(':')),
    families: names.filter((name) => name.endsWith(':')),
  }
}
