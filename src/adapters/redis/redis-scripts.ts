import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { programFile } from '../../base/program-files.ts'

/**
 * A Lua script, which Redis runs atomically.
 * @typeParam Arguments its own arguments as the header of its file names them; those of its includes come before them
 */
export interface Script<Arguments extends readonly string[] = readonly string[]> {
  readonly name: string
  readonly source: string
  /** SHA-1 of the source, by which Redis finds a script that it has. */
  readonly sha: string
  /** For the type only. */
  readonly arguments?: Arguments
}

export function script(name: string, source: string): Script {
  return { name, source, sha: createHash('sha1').update(source).digest('hex') }
}

/** The text of `scripts/<name>.lua` after that of the files in `scripts/shared/` that it includes, each once. */
export function readScript(name: string): string {
  return [...parts(name, new Set())].join('\n')
}

function* parts(file: string, included: Set<string>): Generator<string> {
  const text = readFileSync(programFile(`adapters/redis/scripts/${file}.lua`), 'utf8')
  const includes = /^-- include: (.+)$/m.exec(text)?.[1]?.split(', ') ?? []
  for (const name of includes) {
    if (included.has(name)) continue
    included.add(name)
    yield* parts(`shared/${name}`, included)
  }
  yield text
}

function load<Arguments extends readonly string[] = readonly []>(name: string): Script<Arguments> {
  return script(name, readScript(name)) as Script<Arguments>
}

type Requests = readonly string[]

/** The scripts by name. Read once, when this module is loaded. */
export const SCRIPTS = {
  // Workers: called through `Job` and `WorkerSession`.
  add: load<readonly [complete: 'complete' | '', batch: string, ...requests: Requests]>('add'),
  claimHost: load<readonly [host: string]>('claim-host'),
  join: load<readonly [name: string, unique: string, again: 'again' | '', rule: string, shards: string]>(
    'join',
  ),
  reservePages: load<readonly string[]>('reserve-pages'),
  restoreThrottle: load<readonly string[]>('restore-throttle'),
  lease: load<readonly [requests: string, perHost: string]>('lease'),
  keepCookies: load<readonly string[]>('keep-cookies'),
  leave: load<readonly [underWay: 'under way' | '']>('leave'),
  pending: load('pending'),
  readHosts: load<readonly [pages: string, ...hosts: readonly string[]]>('read-hosts'),
  releaseHost:
    load<readonly [host: string, readyAt: string, forgetAt: string, state: string]>('release-host'),
  renew: load<readonly [status: string, delaysVersion: string]>('renew'),
  retryFailed: load<readonly string[]>('retry-failed'),
  settle: load<readonly [hosts: string, ...rest: readonly string[]]>('settle'),
  // Any process: called through `Job`.
  beginClearing:
    load<
      readonly [
        force: 'force' | '',
        items: 'items' | '',
        starts: 'starts' | '',
        id: string,
        ...keys: readonly string[],
      ]
    >('begin-clearing'),
  clearSome: load<readonly [cursor: string, count: string, ...families: readonly string[]]>('clear-some'),
  counts: load('counts'),
  crawlRules: load('crawl-rules'),
  delays: load<readonly [limit: string]>('delays'),
  forget: load<readonly [caller: string, ...fingerprints: readonly string[]]>('forget'),
  listHosts: load<readonly [line: 'held' | 'free' | 'resting', cursor: string, limit: string]>('list-hosts'),
  readDead: load<readonly [number: string, limit: string]>('read-dead'),
  readLatestDead: load<readonly [limit: string]>('read-latest-dead'),
  readItems: load<readonly [position: string, limit: string]>('read-items'),
  readMalformed: load<readonly [limit: string]>('read-malformed'),
  readRejected: load<readonly [position: string, limit: string]>('read-rejected'),
  setHostDelay:
    load<readonly [host: string, delay: string, limit: string, version: string]>('set-host-delay'),
  setState: load<readonly [state: string]>('set-state'),
  workers: load('workers'),
  // Import of a scrapy-redis crawl.
  countMembers:
    load<readonly [dupefilter: string, families: string, ...fingerprints: readonly string[]]>(
      'count-members',
    ),
  importScrapy:
    load<
      readonly [
        queue: string,
        unreadable: string,
        keep: 'keep' | '',
        first: string,
        last: string,
        ...requests: Requests,
      ]
    >('import-scrapy'),
  peekScrapy:
    load<readonly [queue: string, first: string, last: string, maxBytes: string, enoughBytes: string]>(
      'peek-scrapy',
    ),
  scrapyKeySize: load<readonly [key: string]>('scrapy-key-size'),
  // Consumers of items.
  acknowledgeItems:
    load<readonly [batch: string, state: string, ...unreadable: readonly string[]]>('acknowledge-items'),
  countItems: load('count-items'),
  joinItems: load('join-items'),
  leaveItems: load('leave-items'),
  takeItems: load<readonly [limit: string, maxBytes: string, reservedMs: string]>('take-items'),
  // Start messages.
  countStarts: load<readonly [malformed: string]>('count-starts'),
  pushStarts: load<readonly [pusher: string, call: string, ...messages: readonly string[]]>('push-starts'),
  refuseStarts: load<readonly [batch: string, size: string, ...refused: readonly string[]]>('refuse-starts'),
  takeStarts:
    load<readonly [now: string, batch: string, limit: string, maxBytes: string, reservedMs: string]>(
      'take-starts',
    ),
  // A stream of documents.
  publish: load<readonly [most: string, ...entries: readonly string[]]>('publish'),
  // Others: called with the base of the keys only.
  keepNamedHosts: load<readonly string[]>('keep-named-hosts'),
  keepSessions:
    load<readonly [owner: string, leaseMs: string, ...sessions: readonly string[]]>('keep-sessions'),
  keepRobots: load<readonly [origin: string, record: string, ttlMs: string]>('keep-robots'),
  readHostDelays: load('read-host-delays'),
  readNamedHosts: load<readonly string[]>('read-named-hosts'),
  readRobots: load<readonly [origin: string]>('read-robots'),
  replication: load('replication'),
  takeSession: load<readonly string[]>('take-session'),
  serverFacts: load('server-facts'),
  serverInfo: load('server-info'),
}
