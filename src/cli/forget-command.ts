import { Command } from 'commander'
import type { Forgotten } from '../adapters/redis/forget-urls.ts'
import { describeSeen } from '../adapters/redis/seen-options.ts'
import { formatCount, formatJson, formatNumber, printableLine } from '../base/format-values.ts'
import type { JudgeUrl } from '../domain/crawldb/crawl-db-requests.ts'
import type { UrlNormalizer } from '../domain/url/normalize-url.ts'
import { queueKey } from '../domain/url/queue-key.ts'
import { readSeeds, SeedTally, seedSources } from '../flows/cycle/read-seeds.ts'
import { redisKeys } from '../wiring/redis-access.ts'
import type { CommandContext } from './command-context.ts'
import { EXIT } from './command-context.ts'
import { addJsonOption, helpNotes } from './help-notes.ts'
import {
  addRedisOptions,
  CRAWL_ARGUMENT,
  noteMissingCrawl,
  type RedisFlags,
  withRedisCrawl,
} from './redis-flags.ts'
import type { Terminal } from './terminal.ts'

interface ForgetFlags extends RedisFlags {
  readonly json: boolean
}

const HELP = `
The next request for such a URL counts as new, whatever the result of the last one. A pending request for it stays in the queue. If several crawls
or Python workers share the seen set (dupefilter), the URL is forgotten for all of them.

Examples:
  orbweaver forget books https://books.example.org/new --redis redis://localhost
  cat urls.txt | orbweaver forget books - --redis redis://localhost`

export function forgetCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('forget')
    .argument('<crawl>', CRAWL_ARGUMENT)
    .argument('<urls...>', 'URLs, files, directories of files, or - for standard input')
  return addJsonOption(addRedisOptions(command))
    .addHelpText(
      'after',
      helpNotes(
        {
          1: 'none of the URLs was known',
          2: 'usage or configuration error, or some lines are not URLs; the other URLs were forgotten',
        },
        HELP,
      ),
    )
    .action(async (crawl: string, urls: string[], flags: ForgetFlags) => {
      const report = await forgetAll(crawl, urls, flags, terminal)
      terminal.out(flags.json ? formatJson(report) : reportText(report))
      if (report.rejected > 0) exitWith(EXIT.usage)
      else if (report.known === 0) exitWith(EXIT.nothing)
      if (report.known === 0) await noteMissingCrawl(flags, crawl, terminal)
    })
}

interface ForgetReport {
  readonly urls: number
  /** The number of them that were in the seen set. */
  readonly known: number
  readonly rejected: number
  readonly examples: SeedTally['examples']
  /** The seen set; absent if there was no URL. */
  readonly seen?: Forgotten['seen']
}

async function forgetAll(
  crawl: string,
  urls: readonly string[],
  flags: ForgetFlags,
  terminal: Terminal,
): Promise<ForgetReport> {
  const tally = new SeedTally(EXAMPLES)
  const sources = seedSources(urls, terminal.input, (directory) =>
    terminal.err(`note: ${printableLine(directory)} is a directory inside a directory and was skipped\n`),
  )
  const { forgetUrls } = await import('../adapters/redis/forget-urls.ts')
  const { urlNormalizer } = await import('../adapters/config/url-normalizer.ts')
  const { settingsHere } = await import('../wiring/redis-session.ts')
  const { normalizer, politeness } = await settingsHere(flags)
  const normalize = urlNormalizer(normalizer)
  return withRedisCrawl(flags, crawl, terminal, async ({ connection, settings }) => {
    const keyOf = (url: string) => queueKey(url, politeness.queueMode)
    const options = { ...redisKeys(settings, crawl), normalize, keyOf }
    let known = 0
    let forgotten: Forgotten | undefined
    for await (const seeds of readSeeds(sources, judgeBy(normalize), tally)) {
      forgotten = await forgetUrls(
        connection,
        crawl,
        seeds.map(({ url }) => url),
        options,
      )
      known += forgotten.known
    }
    const rejected = tally.rejected.get(REJECTED) ?? 0
    return {
      urls: tally.seeds - rejected,
      ...{ known, rejected, examples: tally.examples },
      ...(forgotten !== undefined && { seen: forgotten.seen }),
    }
  })
}

const EXAMPLES = 20
const REJECTED = 'not a URL'

/** Accepts valid URLs unchanged, because Python computes fingerprints from the URL as written. */
function judgeBy(normalize: UrlNormalizer): JudgeUrl {
  return (url) => {
    const normal = normalize(url)
    return normal.ok ? { ok: true, url } : { ok: false, reason: REJECTED, detail: normal.detail }
  }
}

function reportText({ urls, known, rejected, examples, seen }: ForgetReport): string {
  const parts = [
    `${formatCount(known, 'URL')} forgotten${seen === undefined || seen.dupefilter === 'own' ? '' : ` in ${printableLine(describeSeen(seen))}`}`,
    ...(urls > known ? [`${formatNumber(urls - known)} not known`] : []),
    ...(rejected > 0 ? [`${formatCount(rejected, 'invalid URL')}`] : []),
  ]
  const problems = examples.map(
    ({ at, url, reason }) => `  ${printableLine(at)}  ${printableLine(url)}  ${printableLine(reason)}`,
  )
  return `${[parts.join('; '), ...problems].join('\n')}\n`
}
