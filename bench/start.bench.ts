/** The first second: help, and a crawl of one page, next to Node.js alone and to the other crawlers. Medians of alternating runs. */
import { buildDist } from './build-dist.ts'
import { COMPETITORS } from './crawl-competitors.ts'
import { machineFacts, machineText } from './machine-facts.ts'
import { measureProcess, type ProcessToMeasure } from './measure-process.ts'
import { OnePageSite } from './one-page-site.ts'
import { ORBWEAVER } from './orbweaver-process.ts'

const ROUNDS = 9
/** The code cache is written by the first three. */
const CACHE_RUNS = 3
const PAGE = '<title>One page</title><p>Orb webs are strong.</p><a href="#top">top</a>'

export interface Start {
  readonly cpuSeconds: number
  readonly seconds: number
  readonly firstRequestSeconds: number
}

export async function run(): Promise<void> {
  console.log(machineText(machineFacts()))
  const starts = await measureStarts(async (url) => [...ownPrograms(url), ...(await peersFor(url))])
  console.log('\n| | CPU-seconds | seconds | first request after |\n| --- | --- | --- | --- |')
  for (const [name, start] of starts) console.log(tableRow(name, start))
}

/** The medians of each program, by its name. */
export async function measureStarts(
  programsFor: (url: string) => Promise<readonly Program[]> | readonly Program[],
): Promise<Map<string, Start>> {
  buildDist()
  const site = await OnePageSite.open(PAGE)
  try {
    const programs = await programsFor(site.url)
    const starts = new Map<string, Start[]>(programs.map(({ name }) => [name, []]))
    for (let round = 1 - CACHE_RUNS; round <= ROUNDS; round++) {
      for (const program of programs) {
        const start = await measureStart(program, site)
        // The first runs fill caches.
        if (round > 0) starts.get(program.name)?.push(start)
      }
    }
    return new Map(Array.from(starts, ([name, measured]) => [name, medians(measured)]))
  } finally {
    site.close()
  }
}

export type Program = ProcessToMeasure & { readonly name: string }

export function ownPrograms(url: string): Program[] {
  const crawl = ['crawl', 'crawl', url, '--delay', '0', '--email', 'bench@example.org', '--quiet']
  return [
    { name: 'node, an empty script', ...command([process.execPath, '-e', '0']) },
    { name: 'orbweaver --help', ...command([...ORBWEAVER, '--help']) },
    { name: 'orbweaver crawl --help', ...command([...ORBWEAVER, 'crawl', '--help']) },
    { name: 'orbweaver crawl, one page', ...command([...ORBWEAVER, ...crawl]) },
  ]
}

async function peersFor(url: string): Promise<Program[]> {
  const plan = { start: url, scope: 'host', inFlight: 1, perHost: 1 } as const
  return [COMPETITORS.crawlee(plan), await COMPETITORS.scrapy(plan)]
    .filter((peer) => peer !== undefined)
    .map((peer) => ({ ...peer, name: `${peer.name} ${peer.version}, one page` }))
}

function command(words: readonly string[]): ProcessToMeasure {
  return { command: words, pagesOf: () => 0 }
}

async function measureStart(program: Program, site: OnePageSite): Promise<Start> {
  let startedAt = 0
  site.firstRequestAt = Number.POSITIVE_INFINITY
  const { cpuSeconds, seconds } = await measureProcess({
    ...program,
    async prepare(folder) {
      await program.prepare?.(folder)
      startedAt = performance.now()
    },
  })
  return { cpuSeconds, seconds, firstRequestSeconds: (site.firstRequestAt - startedAt) / 1_000 }
}

function medians(starts: readonly Start[]): Start {
  const of = (key: keyof Start) => median(starts.map((start) => start[key]))
  return {
    cpuSeconds: of('cpuSeconds'),
    seconds: of('seconds'),
    firstRequestSeconds: of('firstRequestSeconds'),
  }
}

function tableRow(name: string, { cpuSeconds, seconds, firstRequestSeconds }: Start): string {
  const cells = [cpuSeconds, seconds, firstRequestSeconds].map((figure) =>
    Number.isFinite(figure) ? figure.toFixed(2) : '',
  )
  return `| ${[name, ...cells].join(' | ')} |`
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
