/**
 * Handlers in threads: pages per second of `orbweaver run --handler-threads 2` on a real site with all cores, and of `orbweaver run` on one
 * core. Only an idle machine shows it. `HANDLERS_SITES` chooses another site.
 */
import { serveRealSites } from '../testing/real-web/serve-real-sites.ts'
import { buildDist } from './build-dist.ts'
import { COMPETITORS, type Competitor } from './crawl-competitors.ts'
import { installedSites } from './installed-sites.ts'
import { machineFacts, machineText } from './machine-facts.ts'
import { measureRounds } from './measure-rounds.ts'

const ROUNDS = 2

export async function run(): Promise<void> {
  console.log(machineText(machineFacts()))
  console.log(`ratio: ${(await measureHandlers()).toFixed(2)} (aim: 1.6)`)
}

/** How many times as many pages per second two cores fetch as one. */
export async function measureHandlers(): Promise<number> {
  buildDist()
  const served = await serveRealSites(installedSites('HANDLERS_SITES', ['scipy']))
  try {
    const plan = { start: served.seeds[0] ?? '', scope: 'host', inFlight: 32, perHost: 32 } as const
    const programs = [onOneCore(COMPETITORS.run(plan)), COMPETITORS.run(plan), COMPETITORS.threads(plan)]
    const [oneCore, , threads] = await measureRounds(programs, ROUNDS)
    return (threads?.pagesPerSecond ?? 0) / (oneCore?.pagesPerSecond ?? 0)
  } finally {
    await served.close()
  }
}

/** The web server may use the other cores. */
function onOneCore(program: Competitor): Competitor {
  return {
    ...program,
    name: `${program.name}, one core`,
    command: ['taskset', '--cpu-list', '0', ...program.command],
  }
}
