import type { Competitor } from './crawl-competitors.ts'
import { type Measured, measureProcess } from './measure-process.ts'

export interface CrawlFigures {
  readonly name: string
  readonly version: string
  /** It stopped at about this number of pages. */
  readonly maxPages?: number
  /** Of each round. */
  readonly found: readonly number[]
  /** Of the best round, each. */
  readonly pagesPerSecond: number
  readonly pagesPerCpuSecond: number
  /** Of the worst. */
  readonly peakMegabytes: number
}

/**
 * Runs the competitors one after the other, several times, and prints a line for each run. One with a limit of pages, or that took minutes, runs once. One
 * that fails is not run again; a line gives the reason, and the benchmark exits with 1. Its earlier rounds count.
 */
export async function measureRounds(
  competitors: readonly Competitor[],
  rounds: number,
): Promise<CrawlFigures[]> {
  const measured = new Map<Competitor, Measured[]>(competitors.map((competitor) => [competitor, []]))
  const failed = new Set<Competitor>()
  for (let round = 1; round <= rounds; round++) {
    for (const [competitor, runs] of measured) {
      const isSlow = competitor.maxPages !== undefined || runs.some(({ seconds }) => seconds > SLOW_SECONDS)
      if (failed.has(competitor) || (isSlow && round > 1)) continue
      try {
        const run = await measureProcess(competitor)
        runs.push(run)
        console.log(
          `round ${round}: ${competitor.name}, ${run.pages} pages, ${run.seconds.toFixed(1)} s, ${run.cpuSeconds.toFixed(1)} CPU-s`,
        )
      } catch (error) {
        console.log(`FAILED: ${competitor.name}: ${error}`)
        process.exitCode = 1
        failed.add(competitor)
      }
    }
  }
  return [...measured]
    .filter(([, runs]) => runs.length > 0)
    .map(([competitor, runs]) => figuresOf(competitor, runs))
}

const SLOW_SECONDS = 120

function figuresOf({ name, version, maxPages }: Competitor, runs: readonly Measured[]): CrawlFigures {
  return {
    name,
    version,
    ...(maxPages !== undefined && { maxPages }),
    found: runs.map(({ pages }) => pages),
    pagesPerSecond: Math.max(...runs.map(({ pages, seconds }) => pages / seconds)),
    pagesPerCpuSecond: Math.max(...runs.map(({ pages, cpuSeconds }) => pages / cpuSeconds)),
    peakMegabytes: Math.max(...runs.map(({ peakMegabytes }) => peakMegabytes)),
  }
}
