import { ConfigurationError } from '../../base/crawl-error.ts'

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
}

/**
 * Every key of a job carries its name as a hash tag: a cluster keeps them on one node, so that a script can see them all.
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
  return { base: `${prefix}{${job}}`, items }
}

/** The keys of its start messages, which anybody pushes. */
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
 * What the keys of a job are called after its base. Those that end in a colon are families: the name of a host, a worker's number, or a
 * bucket follows. README.md says what each holds.
 */
const NAMES = {
  counts: 'counts',
  requests: 'requests',
  seen: 'seen:',
  wait: 'wait:',
  free: 'free',
  resting: 'resting',
  delayed: 'delayed',
  owners: 'owners',
  paces: 'paces',
  lost: 'lost',
  fades: 'fades',
  robots: 'robots:',
  workers: 'workers',
  worker: 'worker:',
  held: 'held:',
  open: 'open:',
  leased: 'leased:',
  dead: 'dead',
  malformed: 'malformed',
  rejected: 'rejected',
  itemUrls: 'item-urls',
  itemTakings: 'item-takings',
  itemTaking: 'item-taking:',
  itemsTaken: 'items-taken',
  consumer: 'consumer:',
  takings: 'takings',
  taking: 'taking:',
  pushed: 'pushed:',
  imported: 'imported',
  namedHosts: 'named-hosts',
} as const

export type KeyName = keyof typeof NAMES

/** What each belongs to. Clearing a crawl removes what is the crawl's; how hosts stand is kept, or they would be asked too soon. */
const BELONGS_TO = {
  counts: 'counts',
  requests: 'crawl',
  seen: 'crawl',
  wait: 'crawl',
  free: 'crawl',
  resting: 'crawl',
  delayed: 'crawl',
  owners: 'crawl',
  paces: 'hosts',
  lost: 'hosts',
  fades: 'hosts',
  robots: 'hosts',
  workers: 'crawl',
  worker: 'crawl',
  held: 'crawl',
  open: 'crawl',
  leased: 'crawl',
  dead: 'crawl',
  malformed: 'crawl',
  rejected: 'items',
  itemUrls: 'items',
  itemTakings: 'items',
  itemTaking: 'items',
  itemsTaken: 'consumers',
  consumer: 'consumers',
  takings: 'starts',
  taking: 'starts',
  pushed: 'pushers',
  imported: 'crawl',
  namedHosts: 'crawl',
} as const satisfies Record<KeyName, string>

export type KeyGroup = (typeof BELONGS_TO)[KeyName]

/** What the names of the keys of a group begin with, the base not counted: those of single keys, and of families. */
export function namesOf(group: KeyGroup): { readonly keys: string[]; readonly families: string[] } {
  const names = Object.entries(NAMES)
    .filter(([name]) => BELONGS_TO[name as KeyName] === group)
    .map(([, part]) => part)
  return {
    keys: names.filter((name) => !name.endsWith(':')),
    families: names.filter((name) => name.endsWith(':')),
  }
}

export function keyOf({ base }: JobKeys, name: KeyName): string {
  return `${base}:${NAMES[name]}`
}

/** The same names for the scripts, whose first key is the base: `K.wait .. host`. */
export const LUA_KEYS: string = Object.entries(NAMES)
  .map(([name, part]) => `  ${name} = KEYS[1] .. ':${part}',`)
  .join('\n')
