/** The first second: help, and a crawl of one page, next to Node.js alone and to the other crawlers. Medians of alternating runs. */
import { buildDist } from './build-dist.ts'
import { COMPETITORS } from './crawl-competitors.ts'
import { machineFacts, machineText } from './machine-facts.ts'
import { measureProcess, type ProcessToMeasure } from './measure-process.ts'
import { OnePageSite } from './one-page-site.ts'
import { ORBWEAVER } from './orbweaver-process.ts'

const ROUNDS = 9
const PAGE = '<title>One page</title><p>Orb webs are strong.</p><a href="#top">top</a>'

interface Start {
  readonly cpuSeconds: number
  readonly seconds: number
  readonly firstRequestSeconds: number
}

export async function run(): Promise<void> {
  console.log(machineText(machineFacts()))
  buildDist()
  const site = await OnePageSite.open(PAGE)
  try {
    const programs = await programsFor(site.url)
    const starts = new Map<string, Start[]>(programs.map(({ name }) => [name, []]))
    for (let round = 0; round <= ROUNDS; round++) {
      for (const program of programs) {
        const start = await measureStart(program, site)
        // The first run fills caches.
        if (round > 0) starts.get(program.name)?.push(start)
      }
    }
    console.log('\n| | CPU-seconds | seconds | first request after |\n| --- | --- | --- | --- |')
    for (const [name, measured] of starts) console.log(tableRow(name, measured))
  } finally {
    site.close()
  }
}

type Program = ProcessToMeasure & { readonly name: string }

async function programsFor(url: string): Promise<Program[]> {
  const plan = { start: url, scope: 'host', inFlight: 1, perHost: 1 } as const
  const crawl = ['crawl', 'crawl', url, '--delay', '0', '--email', 'bench@example.org', '--quiet']
  return [
    { name: 'node, an empty script', ...command([process.execPath, '-e', '0']) },
    { name: 'orbweaver --help', ...command([...ORBWEAVER, '--help']) },
    { name: 'orbweaver crawl --help', ...command([...ORBWEAVER, 'crawl', '--help']) },
    { name: 'orbweaver crawl, one page', ...command([...ORBWEAVER, ...crawl]) },
    ...[COMPETITORS.crawlee(plan), await COMPETITORS.scrapy(plan)]
      .filter((peer) => peer !== undefined)
      .map((peer) => ({ ...peer, name: `${peer.name} ${peer.version}, one page` })),
  ]
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

function tableRow(name: string, starts: readonly Start[]): string {
  const cells = (['cpuSeconds', 'seconds', 'firstRequestSeconds'] as const).map((key) => {
    const middle = median(starts.map((start) => start[key]))
    return Number.isFinite(middle) ? middle.toFixed(2) : ''
  })
  return `| ${[name, ...cells].join(' | ')} |`
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
