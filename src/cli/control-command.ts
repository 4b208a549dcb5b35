import { Command } from 'commander'
import { formatCount, formatJson, formatNumber, printableLine } from '../base/format-values.ts'
import type { FleetState } from '../domain/frontier/fleet.ts'
import { redisArgument, redisKeys } from '../wiring/redis-access.ts'
import type { CommandContext, MakeCommand } from './command-context.ts'
import { EXIT } from './command-context.ts'
import { CRAWL_OR_DIRECTORY, isCrawlDirectory, namingDirectory } from './directory-crawl.ts'
import { noCrawlText } from './fleet-report.ts'
import { addJsonOption, helpNotes } from './help-notes.ts'
import { addRedisOptions, CRAWL_ARGUMENT, type RedisFlags, withRedisCrawl } from './redis-flags.ts'

interface ControlFlags extends RedisFlags {
  readonly json: boolean
}

/** A command that sets the state of a crawl. */
interface Order {
  readonly name: string
  readonly help: string
  /** The same for a crawl in a directory. @default it has none */
  readonly action?: 'pause' | 'resume'
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
  help: 'A crawl that runs in a directory finishes the requests in flight and sends no more until orbweaver resume; it can be stopped and started again meanwhile.\n\nIn Redis, workers finish their current requests, requeue the others, and wait for orbweaver resume. Workers that join later wait, too. A draining crawl becomes a paused one: workers that have not exited yet wait.',
  action: 'pause',
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
  help: 'A paused crawl in a directory continues. In Redis, paused workers continue by themselves. After orbweaver drain, start workers again.',
  action: 'resume',
  state: undefined,
  done: ({ crawl, workers, before, redis }) =>
    `${crawl} was ${before}, and is resumed${workers > 0 ? ` with ${formatCount(workers, 'worker')}` : `; it has no worker: orbweaver run <file>${redis === '' ? ' --redis' : redis}`}`,
  already: ({ crawl }) => `${crawl} is neither paused nor draining: there is nothing to resume`,
})

function controlCommand({ name, help, action, state, done, already }: Order): MakeCommand {
  return (context: CommandContext) => {
    const { terminal, exitWith } = context
    const command = new Command(name).argument(
      '<crawl>',
      action === undefined ? CRAWL_ARGUMENT : CRAWL_OR_DIRECTORY,
    )
    return addJsonOption(addRedisOptions(command))
      .addHelpText(
        'after',
        helpNotes({ 1: action === undefined ? 'no such crawl' : 'no such crawl, or none is running' }, help),
      )
      .action(async (crawl: string, flags: ControlFlags) => {
        if (action !== undefined && isCrawlDirectory(crawl, flags)) {
          const { actOnDirectory } = await import('./directory-action.ts')
          return actOnDirectory(crawl, action, flags, context)
        }
        const { inspectCrawl } = await import('../adapters/redis/inspect-crawl.ts')
        const ordered = withRedisCrawl(flags, crawl, terminal, async ({ control, connection, settings }) => {
          const view = await inspectCrawl(connection, crawl, redisKeys(settings, crawl))
          return view && { workers: view.workers.length, before: await control.setState(state) }
        })
        const found = await (action === undefined ? ordered : namingDirectory(crawl, ordered))
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
