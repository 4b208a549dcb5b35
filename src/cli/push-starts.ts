import type { StartKind } from '../adapters/redis/start-messages.ts'
import { StartPusher, type StartToPush } from '../adapters/redis/start-pusher.ts'
import { readStartMessage } from '../adapters/scrapy/start-message.ts'
import { formatCount, printableLine } from '../base/format-values.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { JudgeUrl } from '../domain/crawldb/crawl-db-requests.ts'
import type { Seed } from '../domain/crawldb/inject-record.ts'
import { readSeeds, SeedTally, seedSources } from '../flows/cycle/read-seeds.ts'
import { redisKeys } from '../wiring/redis-access.ts'
import { type RedisFlags, withRedis } from './redis-flags.ts'
import type { Terminal } from './terminal.ts'

export interface PushFlags extends RedisFlags {
  readonly key?: string
  readonly as?: StartKind
  readonly priority?: number
  readonly handler?: string
  readonly json: boolean
}

export interface PushReport {
  readonly key: string
  /** Lines with a URL. */
  readonly lines: number
  readonly pushed: number
  /** Already in the set. */
  readonly known: number
  readonly rejected: number
  /** Invalid key=value pairs; their URLs were pushed. */
  readonly badItems: number
  readonly examples: SeedTally['examples']
}

/** Adds start URLs to a crawl in Redis. */
export async function pushStarts(
  spider: string,
  urls: readonly string[],
  flags: PushFlags,
  terminal: Terminal,
): Promise<PushReport> {
  const { key, as } = flags
  const tally = new SeedTally(EXAMPLES)
  const sources = seedSources(urls, terminal.input, (directory) =>
    terminal.err(`note: ${printableLine(directory)} is a subdirectory and was skipped\n`),
  )
  return withRedis(flags, terminal, async (connection, settings) => {
    const pusher = new StartPusher(connection, spider, {
      ...redisKeys(settings, spider),
      ...withoutUndefined({ startUrls: key, as }),
    })
    const sum = { pushed: 0, known: 0 }
    try {
      for await (const seeds of readSeeds(sources, judge, tally)) {
        const pushed = await pusher.push(seeds.map((seed) => startOf(seed, flags)))
        sum.pushed += pushed
        sum.known += seeds.length - pushed
      }
    } catch (error) {
      if (sum.pushed > 0) terminal.err(`note: ${formatCount(sum.pushed, 'URL')} pushed before the error\n`)
      throw error
    }
    const rejected = tally.rejected.get(REJECTED) ?? 0
    const { seeds: lines, badItems, examples } = tally
    return { key: pusher.key, lines, ...sum, rejected, badItems, examples }
  })
}

const EXAMPLES = 20
const REJECTED = 'not a URL'

/** Rejects messages that workers could not read. Others are pushed unchanged, because Python's fingerprints depend on the text. */
const judge: JudgeUrl = (text) => {
  const read = readStartMessage(text)
  return read.ok ? { ok: true, url: text } : { ok: false, reason: REJECTED, detail: read.reason }
}

/** Values of a line override flags; a JSON line ignores them. */
function startOf({ url, score, metadata }: Seed, flags: PushFlags): StartToPush {
  if (url.startsWith('{')) {
    const read = readStartMessage(url)
    return { message: url, score: (read.ok ? read.start.options.priority : undefined) ?? 0 }
  }
  const { handler } = flags
  const priority = score ?? flags.priority
  const said = {
    ...withoutUndefined({ priority, handler }),
    ...(Object.keys(metadata).length > 0 && { meta: metadata }),
  }
  const message = Object.keys(said).length === 0 ? url : JSON.stringify({ url, ...said })
  return { message, score: priority ?? 0 }
}
