import { Command } from 'commander'
import type { FleetState } from '../frontier/fleet.ts'
import { redisKeys } from '../runner/redis-access.ts'
import type { CommandContext, MakeCommand } from './command-context.ts'
import { EXIT } from './exit-code.ts'
import { noCrawlText } from './fleet-report.ts'
import { addRedisOptions, type RedisFlags, withRedisCrawl } from './redis-session.ts'
import { counted, shown } from './shown.ts'

interface ControlFlags extends RedisFlags {
  readonly json: boolean
}

/** What an operator can want of all workers of a crawl. */
interface Wish {
  readonly name: string
  readonly description: string
  readonly help: string
  /** `undefined`: go on. */
  readonly state: FleetState | undefined
  readonly done: (crawl: string, workers: number) => string
}

export const pauseCommand = controlCommand({
  name: 'pause',
  description: 'Lets the workers of a crawl in Redis wait.',
  help: 'They finish what they are asking, give the rest back, and wait until orbweaver resume; so do those that join later.',
  state: 'paused',
  done: (crawl, workers) =>
    `${crawl} is paused: ${counted(workers, 'worker')} will finish what they are asking, and wait. To go on: orbweaver resume ${crawl} --redis …`,
})

export const drainCommand = controlCommand({
  name: 'drain',
  description: 'Lets the workers of a crawl in Redis end.',
  help: 'They finish what they are asking, give the rest back, and end. None can join until orbweaver resume; nothing is lost.',
  state: 'draining',
  done: (crawl, workers) =>
    `${crawl} is drained: ${counted(workers, 'worker')} will finish what they are asking, and end; none can join. To go on: orbweaver resume ${crawl} --redis …, then orbweaver run`,
})

export const resumeCommand = controlCommand({
  name: 'resume',
  description: 'Lets a crawl in Redis go on that was paused or drained.',
  help: 'Workers that were paused go on by themselves. After orbweaver drain, start them again.',
  state: undefined,
  done: (crawl, workers) =>
    workers > 0
      ? `${crawl} goes on with ${counted(workers, 'worker')}`
      : `${crawl} may go on; it has no worker: orbweaver run <file> --redis …`,
})

function controlCommand({ name, description, help, state, done }: Wish): MakeCommand {
  return ({ terminal, exitWith }: CommandContext) => {
    const command = new Command(name)
      .description(description)
      .argument('<crawl>', 'the name of the crawl: that of its spider, unless it was given another')
    return addRedisOptions(command)
      .option('--json', 'print one JSON document', false)
      .addHelpText(
        'after',
        `\n${help}\n\nExit codes: 0 done; 1 there is no such crawl; 2 wrong usage; 3 it failed.`,
      )
      .action(async (crawl: string, flags: ControlFlags) => {
        const { lookAtCrawl } = await import('../redis/look-at-crawl.ts')
        const view = await withRedisCrawl(
          flags,
          crawl,
          terminal,
          async ({ control, connection, settings }) => {
            const found = await lookAtCrawl(connection, crawl, redisKeys(settings, crawl))
            if (found !== undefined) await control.setState(state)
            return found
          },
        )
        if (view === undefined) exitWith(EXIT.nothing)
        const workers = view?.workers.length ?? 0
        if (flags.json) {
          const document = view === undefined ? null : { crawl, state: state ?? null, workers }
          terminal.out(`${JSON.stringify(document, undefined, 2)}\n`)
        } else terminal.out(view === undefined ? noCrawlText(crawl) : `${done(shown(crawl), workers)}\n`)
      })
  }
}
