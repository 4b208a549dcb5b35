import type { Settled } from '../../domain/frontier/frontier.ts'
import type { Settlement } from '../../domain/frontier/settlement.ts'
import { batches } from './batches.ts'
import type { Lent } from './held-hosts.ts'
import { RedisRefused } from './redis-connection.ts'
import { SCRIPTS } from './redis-scripts.ts'
import type { SeenFingerprint } from './seen-options.ts'
import { dueTime, requestArguments } from './stored-request.ts'
import { LOST, type WorkerSession } from './worker-session.ts'

/** What came of a request of ours. */
export interface OwnSettlement extends SettlementArguments {
  readonly id: string
  readonly host: string
}

/** Settles requests of one lease, in several calls if they are large. */
export class SettleCalls {
  readonly #session: WorkerSession
  readonly #fence: string | undefined
  readonly #throttleOf: ReadonlyMap<string, readonly string[]>
  readonly #sum = { added: 0, duplicates: 0, ignored: 0 }

  /**
   * @param fence that they were leased under
   * @param throttleOf the throttle state of their hosts, as `throttleArguments` writes it
   */
  constructor(
    session: WorkerSession,
    fence: string | undefined,
    throttleOf: ReadonlyMap<string, readonly string[]>,
  ) {
    this.#session = session
    this.#fence = fence
    this.#throttleOf = throttleOf
  }

  /** @param max requests that one script settles or adds */
  async settle(settlements: readonly OwnSettlement[], max: number): Promise<Settled> {
    const parts = batches(
      settlements.map(({ args }) => args),
      max,
    )
    let done = 0
    for (const { length } of parts) {
      await this.#part(settlements.slice(done, done + length), max)
      done += length
    }
    return this.#sum
  }

  /** When Redis refuses it, each by itself. One that it refuses then is a dead letter: it must not end the worker, nor the next one that is handed it. */
  async #part(part: readonly OwnSettlement[], max: number): Promise<void> {
    try {
      return await this.#call(part, max)
    } catch (error) {
      if (!(error instanceof RedisRefused)) throw error
    }
    for (const one of part)
      await this.#call([one], max).catch((error: unknown) => {
        if (!(error instanceof RedisRefused)) throw error
        const { id, host } = one
        return this.#call([{ id, host, before: [], args: unsettledArguments(id, host, error) }], max)
      })
  }

  async #call(part: readonly OwnSettlement[], max: number): Promise<void> {
    const before = part.flatMap((one) => one.before)
    for (const links of batches(before, max))
      this.#count(await this.#session.call(SCRIPTS.add, ['', '', ...links.flat()], this.#fence), 0)
    const hosts = new Set(part.map(({ host }) => host))
    const throttles = [...hosts].flatMap((host) => this.#throttleOf.get(host) ?? [])
    const args = [String(throttles.length / 4), ...throttles, ...part.flatMap((one) => one.args)] as const
    const reply = await this.#session.call(SCRIPTS.settle, args, this.#fence)
    if (reply === LOST && throttles.length > 0) await this.#session.restoreThrottle(throttles)
    this.#count(reply, part.length)
  }

  /** @param settlements those that change nothing when the lease is lost */
  #count(reply: unknown, settlements: number): void {
    const numbers = reply === LOST ? [0, 0, settlements] : String(reply).split(' ').map(Number)
    const [added = 0, duplicates = 0, ignored = 0] = numbers
    this.#sum.added += added
    this.#sum.duplicates += duplicates
    this.#sum.ignored += ignored
  }
}

interface SettlementArguments {
  /** Requests of a page with very many links, to be added before: what adds them twice adds them once. */
  readonly before: ReadonlyArray<readonly string[]>
  /** As `scripts/settle.lua` takes them. */
  readonly args: readonly string[]
}

/**
 * The arguments by which a script settles a request, with all that came of it.
 * @throws RangeError when they are more than one call to Redis can take, or one of the requests or items cannot be written
 */
export function settlementArguments(
  { id, end, requests, items, itemsOf, rejected, pageOf = '' }: Settlement,
  { host, url }: Lent,
  keyOf: (url: string) => string,
  fingerprint: SeenFingerprint,
): SettlementArguments {
  const links = uniqueRequests(
    requests.map((request) => requestArguments(request, keyOf(request.url), fingerprint)),
  )
  // Those that are not filtered would be added again by the worker that repeats the page.
  const isBefore = ([filter]: readonly string[]) => links.length > MAX_LINKS && filter !== ''
  const within = links.filter((link) => !isBefore(link))
  const hasTime = (end.kind === 'retry' || end.kind === 'requeue') && end.at !== undefined
  const args = [
    ...leaseArguments(id),
    ...[host, items.length > 0 ? (itemsOf ?? url) : '', end.kind],
    hasTime ? dueTime(end.at) : '',
    end.kind === 'failed' ? failureJson(end.code, end.reason, end.stack) : retryReason(end),
    pageOf,
    ...[String(items.length), ...items.map((item) => JSON.stringify(item))],
    ...[
      String(rejected.length),
      ...rejected.map(({ item, reason }) => JSON.stringify({ url, item, reason })),
    ],
    ...[String(requests.length - links.length), String(within.length), ...within.flat()],
  ]
  const length = args.reduce((sum, text) => sum + text.length, 0)
  if (length > MAX_LENGTH)
    throw new RangeError(
      `its items and requests take ${Math.ceil(length / 1e6)} MB, more than the ${MAX_LENGTH / 1e6} MB that go to Redis at once`,
    )
  return { before: links.filter(isBefore), args }
}

/** The arguments that put a request among the dead letters because it cannot be settled. */
export function unsettledArguments(id: string, host: string, cause: unknown): string[] {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const failure = failureJson('cannot-settle', reason, undefined)
  return [...leaseArguments(id), host, '', 'failed', '', failure, '', '0', '0', '0', '0']
}

/** One of few words, to count by. */
function retryReason(end: Settlement['end']): string {
  return end.kind === 'retry' ? end.reason.replaceAll(/\W+/g, '-').slice(0, 40) : ''
}

/** The arguments that move a value that is not a request to the malformed ones. */
export function malformedArguments(id: string, host: string, stored: string): string[] {
  return [...leaseArguments(id), host, '', 'malformed', '', stored, '', '0', '0', '0', '0']
}

/** The arguments that queue a request under another host: that of `request`, which are the arguments to add it. */
export function movedArguments(id: string, host: string, request: readonly string[]): string[] {
  return [...leaseArguments(id), host, '', 'moved', '', '', '', '0', '0', '0', '1', ...request]
}

/** The arguments that remove a request which another shard has now. */
export function handedOverArguments(id: string, host: string): string[] {
  return [...leaseArguments(id), host, '', 'moved', '', '', '', '0', '0', '0', '0']
}

/** The number of a leased request in its shard: the same when it is handed out again. */
export function arrivalOf(id: string): string {
  return id.slice(id.lastIndexOf('-') + 1)
}

/** An id is `<fence>-<call>-<arrival>`: no other lease has it. */
function leaseArguments(id: string): string[] {
  return id.split('-').slice(1)
}

/** The first of those with the same fingerprint, and all that are not filtered. */
function uniqueRequests(requests: ReadonlyArray<readonly string[]>): Array<readonly string[]> {
  const seen = new Set<string>()
  return requests.filter(([fingerprint = '']) => {
    if (fingerprint === '') return true
    if (seen.has(fingerprint)) return false
    seen.add(fingerprint)
    return true
  })
}

/** The members of the object, without its braces: the script adds others. */
function failureJson(code: string, reason: string, stack: string | undefined): string {
  return JSON.stringify({ code, reason, stack }).slice(1, -1)
}

/** Requests that are added in the same step as their page: Redis does nothing else meanwhile. */
const MAX_LINKS = 1_000
/** Characters. Redis takes a call of 1 GB. */
const MAX_LENGTH = 200_000_000
