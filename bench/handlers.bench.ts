/**
 * Handlers in threads: pages per second of `orbweaver run --handler-threads 2` on a real site with all cores, and of `orbweaver run` on one
 * core; of a handler that takes the title and the links, and of one that extracts much. Only an idle machine shows it. `HANDLERS_SITES` chooses
 * another site.
 */
import { serveRealSites } from '../testing/real-web/serve-real-sites.ts'
import { buildDist } from './build-dist.ts'
import { COMPETITORS, type Competitor, extractingRun } from './crawl-competitors.ts'
import { installedSites } from './installed-sites.ts'
import { machineFacts, machineText } from './machine-facts.ts'
import { measureRounds } from './measure-rounds.ts'

const ROUNDS = 2

export interface HandlerRatios {
  /** How many times as many pages per second two cores fetch as one, if the handler takes the title and the links. */
  readonly light: number
  /** The same, if the handler extracts the main content and more. */
  readonly extracting: number
}

export async function run(): Promise<void> {
  console.log(machineText(machineFacts()))
  const { light, extracting } = await measureHandlers()
  console.log(`title and links: ${light.toFixed(2)} (aim: 1.6)`)
  console.log(`main content and twenty selectors: ${extracting.toFixed(2)} (aim: 1.6)`)
}

export async function measureHandlers(): Promise<HandlerRatios> {
  buildDist()
  const served = await serveRealSites(installedSites('HANDLERS_SITES', ['scipy']))
  try {
    const plan = { start: served.seeds[0] ?? '', scope: 'host', inFlight: 32, perHost: 32 } as const
    return {
      light: await ratio(COMPETITORS.run(plan), COMPETITORS.threads(plan)),
      extracting: await ratio(extractingRun(plan), extractingRun(plan, '--handler-threads', '2')),
    }
  } finally {
    await served.close()
  }
}

async function ratio(main: Competitor, inThreads: Competitor): Promise<number> {
  const [oneCore, , threads] = await measureRounds([onOneCore(main), main, inThreads], ROUNDS)
  return (threads?.pagesPerSecond ?? 0) / (oneCore?.pagesPerSecond ?? 0)
}

/** The web server may use the other cores. */
function onOneCore(program: Competitor): Competitor {
  return {
    ...program,
    name: `${program.name}, one core`,
    command: ['taskset', '--cpu-list', '0', ...program.command],
  }
}
