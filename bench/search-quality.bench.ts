/**
 * Known-item search on real documentation: terms of printed indexes and titles of pages, with the embedded index and with tantivy and Lucene on
 * the same documents. `QUALITY_SITES=django,exim4` chooses sites, `QUALITY_QUERIES` limits the queries per site and kind.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SearchIndex } from '../src/adapters/sqlite-index/search-index.ts'
import { requireSite } from '../testing/real-web/real-sites.ts'
import { requireNginx, serveRealSites } from '../testing/real-web/serve-real-sites.ts'
import { buildDist } from './build-dist.ts'
import { chosenNames } from './chosen-names.ts'
import { chosenSize } from './chosen-sizes.ts'
import { machineFacts, machineText } from './machine-facts.ts'
import { noRest, ORBWEAVER } from './orbweaver-process.ts'
import { removeFolder } from './remove-folder.ts'
import { type KnownItem, printedItems, printedUrls, titleItems } from './search-quality/known-items.ts'
import {
  meanFigures,
  type QualityFigures,
  qualityFigures,
  type Ranking,
  spread,
} from './search-quality/quality-figures.ts'
import { QUALITY_SITES, type QualitySite } from './search-quality/quality-sites.ts'
import { type SearchPeer, searchPeers } from './search-quality/search-peers.ts'
import { undoAtExit } from './undo-at-exit.ts'

const QUERIES = chosenSize('QUALITY_QUERIES', 1_000)

export async function run(): Promise<void> {
  if (!requireNginx()) throw new Error('nginx is missing: install the package nginx-light')
  console.log(machineText(machineFacts()))
  const names = chosenNames(
    'QUALITY_SITES',
    QUALITY_SITES.map(({ name }) => name),
  )
  const sites = QUALITY_SITES.filter((site) => names.includes(site.name) && requireSite(site))
  const peers = await searchPeers()
  buildDist()
  const served = await serveRealSites(sites)
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-quality-'))
  const undone = undoAtExit(() => removeFolder(folder))
  try {
    console.log(headOf(peers))
    const measured: MeasuredQueries[] = []
    for (const [i, site] of sites.entries()) {
      const seed = served.seeds[i] ?? ''
      const directory = join(folder, site.name)
      crawlAndIndex(site, seed, directory)
      measured.push(...measureSite(site, seed, directory, peers))
    }
    printMeans(measured)
  } finally {
    undone()
    removeFolder(folder)
    await served.close()
  }
}

function headOf(peers: readonly SearchPeer[]): string {
  const columns = ['site', 'pages', 'queries from', 'queries', 'first', 'top three', 'MRR', 'p95 ms']
  for (const { name } of peers) columns.push(`${name} first`, 'top three', 'MRR', 'p95 ms')
  return `\n| ${columns.join(' | ')} |\n|${' --- |'.repeat(columns.length)}`
}

/** Pages that only the printed index links to are seeds, and its own pages are left out. */
function crawlAndIndex(site: QualitySite, seed: string, directory: string): void {
  const leftOut = [
    ...site.printedIndex.map((path) => `-/${path.replaceAll('.', '\\.')}$`),
    '-/genindex',
    '-/py-modindex',
  ]
  const translations = '-\\.(de|fr|es|it|ja|zh|nl|hu|cs|ca|pt|ru)\\.html'
  const config = {
    agent: { email: 'bench@example.org' },
    politeness: noRest(32, 16),
    filters: { rules: [...leftOut, '-/search\\.html', translations, '+.'] },
  }
  writeFileSync(`${directory}.json`, JSON.stringify(config))
  writeFileSync(`${directory}.txt`, `${[seed, ...printedUrls(site, seed)].join('\n')}\n`)
  const [program = '', ...rest] = [...ORBWEAVER, 'crawl', directory, `${directory}.txt`]
  const flags = ['--scope', 'host', '--index', '--config', `${directory}.json`]
  const { status, stderr } = spawnSync(program, [...rest, ...flags], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`the crawl of ${site.name} failed: ${stderr.slice(-1_000)}`)
}

/** The queries of one kind of one site. */
interface MeasuredQueries {
  readonly kind: string
  /** Ours first, then those of the peers. */
  readonly engines: readonly QualityFigures[]
}

function measureSite(
  site: QualitySite,
  seed: string,
  directory: string,
  peers: readonly SearchPeer[],
): MeasuredQueries[] {
  const index = SearchIndex.open(directory)
  try {
    const documents = [...index.documents()]
    const kinds = { index: printedItems(site, seed, documents), titles: titleItems(documents) }
    return Object.entries(kinds).map(([kind, all]) => {
      const items = spread(all, QUERIES)
      const own = items.map((item) => rankingOf(index, item))
      const rankings = [own, ...peers.map((peer) => peer.rankings(documents, items, directory))]
      const engines = rankings.map((ranking) => qualityFigures(items, ranking))
      const name = `${site.name}${site.tuning ? ' (tuning)' : ''}`
      console.log(
        `| ${[name, documents.length, kind, items.length, ...engines.flatMap(cells)].join(' | ')} |`,
      )
      return { kind, engines }
    })
  } finally {
    index.close()
  }
}

/** A row per kind of query. Each site counts the same, however many queries it has. */
function printMeans(measured: readonly MeasuredQueries[]): void {
  for (const [kind, sites] of Map.groupBy(measured, ({ kind }) => kind)) {
    const engines = (sites[0]?.engines ?? []).map((_, i) =>
      meanFigures(sites.flatMap(({ engines }) => engines[i] ?? [])),
    )
    const queries = engines[0]?.queries ?? 0
    console.log(
      `| ${[`mean of ${sites.length} sites`, '', kind, queries, ...engines.flatMap(cells)].join(' | ')} |`,
    )
  }
}

function rankingOf(index: SearchIndex, { query }: KnownItem): Ranking {
  const start = performance.now()
  const { hits } = index.search(query)
  return { ids: hits.map(({ id }) => id), ms: performance.now() - start }
}

function cells({ first, topThree, mrr, p95Ms }: QualityFigures): string[] {
  return [percent(first), percent(topThree), mrr.toFixed(3), p95Ms.toFixed(1)]
}

function percent(part: number): string {
  return `${(part * 100).toFixed(1)} %`
}
