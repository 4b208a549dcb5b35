/**
 * Known-item search on real documentation: terms of printed indexes and titles of pages, with the embedded index and with tantivy on the
 * same documents. `QUALITY_SITES=django,exim4` chooses sites, `QUALITY_QUERIES` limits the queries per site and kind.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SearchIndex } from '../src/adapters/sqlite-index/search-index.ts'
import type { IndexDocument } from '../src/domain/indexing/index-document.ts'
import { installPythonEnvironment, pythonOf } from '../testing/python-environment.ts'
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
  type QualityFigures,
  qualityFigures,
  type Ranking,
  spread,
} from './search-quality/quality-figures.ts'
import { QUALITY_SITES, type QualitySite } from './search-quality/quality-sites.ts'
import { undoAtExit } from './undo-at-exit.ts'

const QUERIES = chosenSize('QUALITY_QUERIES', 1_000)
const TANTIVY = { name: 'tantivy', requirement: 'tantivy>=0.22', oldestPython: 9 }

export async function run(): Promise<void> {
  if (!requireNginx()) throw new Error('nginx is missing: install the package nginx-light')
  console.log(machineText(machineFacts()))
  const names = chosenNames(
    'QUALITY_SITES',
    QUALITY_SITES.map(({ name }) => name),
  )
  const sites = QUALITY_SITES.filter((site) => names.includes(site.name) && requireSite(site))
  const missing = await installPythonEnvironment(TANTIVY)
  if (missing !== undefined) console.log(`tantivy is left out: ${missing}`)
  buildDist()
  const served = await serveRealSites(sites)
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-quality-'))
  const undone = undoAtExit(() => removeFolder(folder))
  try {
    console.log(HEAD)
    for (const [i, site] of sites.entries()) {
      const seed = served.seeds[i] ?? ''
      const directory = join(folder, site.name)
      crawlAndIndex(site, seed, directory)
      measureSite(site, seed, directory, missing === undefined)
    }
  } finally {
    undone()
    removeFolder(folder)
    await served.close()
  }
}

const HEAD = `
| site | pages | queries from | queries | first | top three | MRR | p95 ms | tantivy first | top three | MRR | p95 ms |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |`

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

function measureSite(site: QualitySite, seed: string, directory: string, hasTantivy: boolean): void {
  const index = SearchIndex.open(directory)
  try {
    const documents = [...index.documents()]
    const kinds = { index: printedItems(site, seed, documents), titles: titleItems(documents) }
    for (const [kind, all] of Object.entries(kinds)) {
      const items = spread(all, QUERIES)
      const ours = qualityFigures(
        items,
        items.map((item) => rankingOf(index, item)),
      )
      const peer = hasTantivy
        ? cells(qualityFigures(items, tantivyRankings(documents, items, directory)))
        : []
      const name = `${site.name}${site.tuning ? ' (tuning)' : ''}`
      console.log(`| ${[name, documents.length, kind, items.length, ...cells(ours), ...peer].join(' | ')} |`)
    }
  } finally {
    index.close()
  }
}

function rankingOf(index: SearchIndex, { query }: KnownItem): Ranking {
  const start = performance.now()
  const { hits } = index.search(query)
  return { ids: hits.map(({ id }) => id), ms: performance.now() - start }
}

function tantivyRankings(
  documents: readonly IndexDocument[],
  items: readonly KnownItem[],
  directory: string,
): Ranking[] {
  const [texts, queries] = [`${directory}.jsonl`, `${directory}.queries`]
  writeFileSync(texts, documents.map((document) => `${JSON.stringify(document)}\n`).join(''))
  writeFileSync(queries, items.map(({ query }) => `${query}\n`).join(''))
  const program = join(import.meta.dirname, 'peers/tantivy_search.py')
  const { stdout, stderr, status } = spawnSync(pythonOf(TANTIVY), [program, texts, queries], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  if (status !== 0) throw new Error(`tantivy failed: ${stderr}`)
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Ranking)
}

function cells({ first, topThree, mrr, p95Ms }: QualityFigures): string[] {
  return [percent(first), percent(topThree), mrr.toFixed(3), p95Ms.toFixed(1)]
}

function percent(part: number): string {
  return `${(part * 100).toFixed(1)} %`
}
