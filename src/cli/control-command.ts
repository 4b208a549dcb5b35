import { Command } from 'commander'
import type { FleetState } from '../domain/frontier/fleet.ts'
import { redisArgument, redisKeys } from '../wiring/redis-access.ts'
import type { CommandContext, MakeCommand } from './command-context.ts'
import { EXIT } from './exit-code.ts'
import { noCrawlText } from './fleet-report.ts'
import { formatCount, formatJson, formatNumber, printableLine } from './format-values.ts'
import { helpNotes } from './help-notes.ts'
import { addRedisOptions, type RedisFlags, withRedisCrawl } from './redis-session.ts'

interface ControlFlags extends RedisFlags {
  readonly json: boolean
}

/** What an operator can tell all workers of a crawl. */
interface Order {
  readonly name: string
  readonly description: string
  readonly help: string
  /** `undefined`: neither paused nor draining. */
  readonly state: FleetState | undefined
  /** What is told when the state was another one. */
  readonly done: (crawl: Controlled) => string
  /** What is told when it was this one already. */
  readonly already: (crawl: Controlled) => string
}

interface Controlled {
  /** Its name. */
  readonly crawl: string
  readonly workers: number
  readonly before: FleetState | undefined
  /** What other commands need to find the Redis. */
  readonly redis: string
}

export const pauseCommand = controlCommand({
  name: 'pause',
  description: 'Pauses all workers of a crawl in Redis.',
  help: 'They finish their current requests, give the others back, and wait for orbweaver resume; so do workers that join later. A crawl that is draining is paused\ninstead: workers that have not exited yet wait.',
  state: 'paused',
  done: ({ crawl, workers, before, redis }) =>
    `${crawl} ${before === 'draining' ? 'was draining, and is paused now' : 'is paused'}. Its workers (${formatNumber(workers)}) finish their current requests and wait. To resume: orbweaver resume ${crawl}${redis}`,
  already: ({ crawl, redis }) => `${crawl} is paused already. To resume: orbweaver resume ${crawl}${redis}`,
})

export const drainCommand = controlCommand({
  name: 'drain',
  description: 'Lets all workers of a crawl in Redis exit.',
  help: 'They finish their current requests, give the others back, and exit with code 0. No worker can join until orbweaver resume; nothing is lost.',
  state: 'draining',
  done: ({ crawl, workers, before, redis }) =>
    `${crawl} ${before === 'paused' ? 'was paused, and is draining now' : 'is draining'}. Its workers (${formatNumber(workers)}) finish their current requests and exit; none can join. To resume: orbweaver resume ${crawl}${redis}, then start workers again`,
  already: ({ crawl, workers, redis }) =>
    `${crawl} is draining already; workers left: ${formatNumber(workers)}. To resume: orbweaver resume ${crawl}${redis}`,
})

export const resumeCommand = controlCommand({
  name: 'resume',
  description: 'Resumes a crawl in Redis that was paused or drained.',
  help: 'Paused workers continue by themselves. After orbweaver drain, start workers again.',
  state: undefined,
  done: ({ crawl, workers, before, redis }) =>
    `${crawl} was ${before}, and is resumed${workers > 0 ? ` with ${formatCount(workers, 'worker')}` : `; it has no worker: orbweaver run <file>${redis === '' ? ' --redis' : redis}`}`,
  already: ({ crawl }) => `${crawl} is neither paused nor draining: there is nothing to resume`,
})

function controlCommand({ name, description, help, state, done, already }: Order): MakeCommand {
  return ({ terminal, exitWith }: CommandContext) => {
    const command = new Command(name)
      .description(description)
      .argument('<crawl>', 'the name of the crawl: that of its spider, unless it was given another')
    return addRedisOptions(command)
      .option('--json', 'print one JSON document', false)
      .addHelpText('after', helpNotes({ 1: 'no such crawl' }, help))
      .action(async (crawl: string, flags: ControlFlags) => {
        const { lookAtCrawl } = await import('../adapters/redis/look-at-crawl.ts')
        const found = await withRedisCrawl(
          flags,
          crawl,
          terminal,
          async ({ control, connection, settings }) => {
            const view = await lookAtCrawl(connection, crawl, redisKeys(settings, crawl))
            return view && { workers: view.workers.length, before: await control.setState(state) }
          },
        )
        if (found === undefined) exitWith(EXIT.nothing)
        if (flags.json) {
          const { workers, before = null } = found ?? {}
          const document = found === undefined ? null : { crawl, state: state ?? null, before, workers }
          terminal.out(formatJson(document))
        } else if (found === undefined) terminal.out(noCrawlText(crawl))
        else {
          const redis = redisArgument(flags.redis)
          const text = found.before === state ? already : done
          terminal.out(`${text({ ...found, crawl: printableLine(crawl), redis })}\n`)
        }
      })
  }
}
