import { Command } from 'commander'
import type { FleetState } from '../domain/frontier/fleet.ts'
import { redisArgument, redisKeys } from '../wiring/redis-access.ts'
import type { CommandContext, MakeCommand } from './command-context.ts'
import { EXIT } from './command-context.ts'
import { noCrawlText } from './fleet-report.ts'
import { formatCount, formatJson, formatNumber, printableLine } from './format-values.ts'
import { addJsonOption, helpNotes } from './help-notes.ts'
import { addRedisOptions, CRAWL_ARGUMENT, type RedisFlags, withRedisCrawl } from './redis-flags.ts'

interface ControlFlags extends RedisFlags {
  readonly json: boolean
}

/** A command that sets the state of a crawl. */
interface Order {
  readonly name: string
  readonly help: string
  /** `undefined`: neither paused nor draining. */
  readonly state: FleetState | undefined
  /** Message after a change of the state. */
  readonly done: (crawl: Controlled) => string
  /** Message if the crawl was in this state already. */
  readonly already: (crawl: Controlled) => string
}

interface Controlled {
  /** Its name. */
  readonly crawl: string
  readonly workers: number
  readonly before: FleetState | undefined
  /** `--redis` and its value, for commands in messages. */
  readonly redis: string
}

export const pauseCommand = controlCommand({
  name: 'pause',
  help: 'Workers finish their current requests, requeue the others, and wait for orbweaver resume. Workers that join later wait, too. A draining crawl becomes a paused one: workers that have not exited yet wait.',
  state: 'paused',
  done: ({ crawl, workers, before, redis }) =>
    `${crawl} ${before === 'draining' ? 'was draining, and is paused now' : 'is paused'}. Its workers (${formatNumber(workers)}) finish their current requests and wait. To resume: orbweaver resume ${crawl}${redis}`,
  already: ({ crawl, redis }) => `${crawl} is paused already. To resume: orbweaver resume ${crawl}${redis}`,
})

export const drainCommand = controlCommand({
  name: 'drain',
  help: 'Workers finish their current requests, requeue the others, and exit with code 0. No worker can join until orbweaver resume. No request is lost.',
  state: 'draining',
  done: ({ crawl, workers, before, redis }) =>
    `${crawl} ${before === 'paused' ? 'was paused, and is draining now' : 'is draining'}. Its workers (${formatNumber(workers)}) finish their current requests and exit; none can join. To resume: orbweaver resume ${crawl}${redis}, then start workers again`,
  already: ({ crawl, workers, redis }) =>
    `${crawl} is draining already; workers left: ${formatNumber(workers)}. To resume: orbweaver resume ${crawl}${redis}`,
})

export const resumeCommand = controlCommand({
  name: 'resume',
  help: 'Paused workers continue by themselves. After orbweaver drain, start workers again.',
  state: undefined,
  done: ({ crawl, workers, before, redis }) =>
    `${crawl} was ${before}, and is resumed${workers > 0 ? ` with ${formatCount(workers, 'worker')}` : `; it has no worker: orbweaver run <file>${redis === '' ? ' --redis' : redis}`}`,
  already: ({ crawl }) => `${crawl} is neither paused nor draining: there is nothing to resume`,
})

function controlCommand({ name, help, state, done, already }: Order): MakeCommand {
  return ({ terminal, exitWith }: CommandContext) => {
    const command = new Command(name).argument('<crawl>', CRAWL_ARGUMENT)
    return addJsonOption(addRedisOptions(command))
      .addHelpText('after', helpNotes({ 1: 'no such crawl' }, help))
      .action(async (crawl: string, flags: ControlFlags) => {
        const { inspectCrawl } = await import('../adapters/redis/inspect-crawl.ts')
        const found = await withRedisCrawl(
          flags,
          crawl,
          terminal,
          async ({ control, connection, settings }) => {
            const view = await inspectCrawl(connection, crawl, redisKeys(settings, crawl))
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
