import { hostname } from 'node:os'
import { prepareFeedPath } from '../adapters/feeds/feed-path.ts'
import type { FeedFile } from '../adapters/feeds/feed-target.ts'
import { openObjectStore } from '../adapters/object-store/open-object-store.ts'
import { ConfigurationError } from '../base/crawl-error.ts'
import { formatCount, printableLine, printableLines } from '../base/format-values.ts'
import { Interrupted } from '../base/interrupted.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import { isObjectStoreUrl } from '../domain/object-store/object-store-url.ts'
import type { ConsumedItems } from '../wiring/consume-items.ts'
import { redisKeys } from '../wiring/redis-access.ts'
import { settingsHere, withGracePeriod } from '../wiring/redis-session.ts'
import { terminalOutput } from './item-output.ts'
import { type RedisFlags, sessionEvents, withRedisCrawl } from './redis-flags.ts'
import type { Terminal } from './terminal.ts'

export interface TakeFlags extends RedisFlags {
  readonly follow: boolean
  readonly rejected: boolean
  readonly consumer?: string
}

/** Moves the items of a crawl from Redis to files. @throws ConfigurationError, ConsumerReplaced, Interrupted */
export async function takeItemsTo(
  targets: readonly FeedFile[],
  crawl: string,
  flags: TakeFlags,
  terminal: Terminal,
): Promise<ConsumedItems> {
  if (flags.rejected)
    throw new ConfigurationError(
      'OPTION_INVALID',
      '--take and --rejected cannot be combined: rejected items stay in Redis',
    )
  const name = flags.consumer ?? (await nameFor(targets))
  const { objectStore } = await settingsHere(flags)
  const patient = { err: terminal.err.bind(terminal), interrupted: withGracePeriod(terminal.interrupted) }
  const { log } = sessionEvents(patient)
  return withRedisCrawl(flags, crawl, patient, async ({ clock, connection, settings }) => {
    const keys = redisKeys(settings, crawl)
    const { openItemTaker } = await import('../adapters/redis/sharded-item-taker.ts')
    const { CrawlEndCheck } = await import('../adapters/redis/inspect-crawl.ts')
    const { consumeItems } = await import('../wiring/consume-items.ts')
    const taker = await openItemTaker(connection, clock, crawl, { ...keys, ...withoutUndefined({ name }) })
    const end = new CrawlEndCheck(connection, crawl, keys)
    const consumed = await consumeItems(taker, targets, {
      clock,
      output: terminalOutput(terminal),
      openStore: (url) => openObjectStore(url, objectStore, { log }),
      signal: terminal.interrupted,
      ...(flags.follow && { isOver: () => end.isReached() }),
      onNotice: ({ message }) => terminal.err(`${printableLines(message)}\n`),
    })
    if (terminal.interrupted.aborted && !flags.follow)
      throw new Interrupted(`interrupted after ${formatCount(consumed.items, 'item')}; there may be more`)
    return consumed
  })
}

/** The default name of a consumer: the same machine and first file resume the same files. None for standard output. */
async function nameFor(targets: readonly FeedFile[]): Promise<string | undefined> {
  const file = targets.find(({ path }) => path !== '-')
  if (file === undefined) return undefined
  return `${hostname()}:${isObjectStoreUrl(file.path) ? file.path : await prepareFeedPath(file.path)}`
}

export function takenText({ items, malformed, malformedKey, targets }: ConsumedItems): string {
  if (items === 0 && malformed === 0) return 'no items to take\n'
  const lines = [
    ...targets.map((target) => `${formatCount(items, 'item')} taken to ${target}`),
    ...(malformed > 0
      ? [`${formatCount(malformed, 'item')} could not be read: LRANGE ${printableLine(malformedKey)} 0 -1`]
      : []),
  ]
  return `${lines.join('\n')}\n`
}
