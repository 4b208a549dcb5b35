import { mkdirSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { command, commandJson, DemoCrawls, QUICK } from '../../testing/command-line.ts'
import { RecordingTerminal } from '../../testing/recording-terminal.ts'
import type { SearchResult } from '../adapters/sqlite-index/search-index.ts'
import { SqliteIndexWriter } from '../adapters/sqlite-index/sqlite-index-writer.ts'
import type { SiteName } from '../demo/demo-site.ts'
import type { IndexDocument } from '../domain/indexing/index-document.ts'
import { run } from './main.ts'

let crawls: DemoCrawls
let dir: string

beforeAll(async () => {
  crawls = await DemoCrawls.start()
  dir = crawls.path('crawl')
  const { exitCode, stderr } = await command(['crawl', dir, ...crawls.web.seeds, '--index', ...QUICK])
  if (exitCode !== 0) throw new Error(stderr)
})

afterAll(() => crawls.close())

/** Queries over the demo sites, each with the page that a user would expect. */
const HOPES: ReadonlyArray<readonly [query: string, site: SiteName, path: string]> = [
  ['wasp spider', 'orb', '/spiders/wasp-spider'],
  ['garden spider', 'orb', '/spiders/garden-orbweaver'],
  ['"funnel web"', 'orb', '/webs/funnel-web'],
  ['glue silk', 'orb', '/silk/capture-spiral'],
  ['stabiliment*', 'orb', '/webs/stabilimentum'],
  ['walnut bread', 'bakery', '/products/walnut'],
  ['pain d’epices', 'bakery', '/fr/pain-d-epices'],
  ['honey cake', 'bakery', '/products/honey-cake'],
  ['night train', 'courier', '/2026/night-train'],
  ['cat in the library', 'courier', '/2026/library-cat'],
  ['error messages', 'manual', '/reference/errors'],
  ['warping', 'manual', '/warping'],
  ['webs in fog', 'photos', '/webs-in-fog'],
  ['flour dust', 'photos', '/flour-dust'],
  ['蜘蛛', 'home', '/%E4%B8%AD%E6%96%87/%E8%8C%B6'],
]

describe('search', () => {
  it.each(HOPES)('finds what a person expects for %j among the first three', async (query, site, path) => {
    const { hits } = await commandJson<SearchResult>(['search', dir, query, '--limit', '3'])
    expect(hits.map(({ url }) => url)).toContain(crawls.web.url(site, path))
  })

  it('finds no page that has noindex, is gone or redirects', async () => {
    const { total } = await commandJson<SearchResult>(['search', dir, 'type:html', '--limit', '1'])
    const sql = (where: string) =>
      commandJson<{ n: number }[]>(['readdb', dir, '--sql', `select count(*) n from crawldb where ${where}`])
    const [fetched] = await sql("status in ('db_fetched', 'db_notmodified')")
    expect(total).toBeGreaterThan(50)
    expect(total).toBeLessThan(fetched?.n ?? 0)
    const gone = ['/account', '/old-bread']
    for (const path of gone) {
      const { hits } = await commandJson<SearchResult>(['search', dir, path.slice(1), '--limit', '100'])
      expect(hits.map(({ url }) => url)).not.toContain(crawls.web.url('bakery', path))
    }
  })

  it('says whether the crawl or its index is missing', async () => {
    const nothing = crawls.path('nothing')
    expect(await command(['search', nothing, 'silk'])).toMatchObject({
      exitCode: 2,
      stderr: `error: there is no crawl in ${nothing}: create one with orbweaver crawl\n`,
    })
    const empty = crawls.path('without-index')
    mkdirSync(empty)
    const { exitCode, stdout } = await command(['search', empty, 'silk', '--json'])
    expect({ exitCode, ...JSON.parse(stdout) }).toEqual({
      exitCode: 2,
      error: {
        code: 'INDEX_MISSING',
        message: `there is no index in ${empty} yet: make it with orbweaver index ${empty}`,
      },
    })
  })

  it('shows titles, URLs and snippets', async () => {
    const { exitCode, stdout, stderr } = await command(['search', dir, 'wasp', 'spider', '--limit', '1'])
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(stdout).toMatch(/^\d+ pages, 1 to 1 shown\n\n1\. Wasp spider – The Orb/)
    expect(stdout).toContain(`   ${crawls.web.url('orb', '/spiders/wasp-spider')}\n`)
    expect(stdout).not.toContain('\u001b')
  })

  it('filters by site, type and language, and has pages of results', async () => {
    const french = await commandJson<SearchResult>(['search', dir, 'pain', '--lang', 'fr'])
    expect(french.hits.every(({ lang }) => lang === 'fr')).toBe(true)
    expect(french.total).toBeGreaterThan(0)
    const texts = await commandJson<SearchResult>(['search', dir, 'type:plain'])
    expect(texts.hits.map(({ url }) => url)).toEqual([crawls.web.url('manual', '/changes.txt')])
    const site = ['search', dir, 'the', '--site', '127.0.0.1']
    const all = await commandJson<SearchResult>(site)
    const others = await commandJson<SearchResult>([...site, '--offset', '1', '--limit', '2'])
    expect(others.hits).toEqual(all.hits.slice(1, 3))
    expect(new Set(all.hits.map(({ host }) => host)).size).toBe(1)
  })

  it('exits with 1 and a hint if nothing is found', async () => {
    const { exitCode, stdout } = await command(['search', dir, 'zeppelin'])
    expect(exitCode).toBe(1)
    expect(stdout).toMatch(/^nothing found for zeppelin in \d+ pages; try fewer words.*\(zeppe\*\)/)
    const signs = await command(['search', dir, '++*'])
    expect(signs.stdout).toMatch(/^nothing found for \+\+\* in \d+ pages; the query has no letters or digits/)
  })

  it('says that the filters are what nothing matches', async () => {
    for (const query of [
      ['pain', 'after:2050'],
      ['pain', '--site', 'nowhere.test'],
    ])
      expect((await command(['search', dir, ...query])).stdout).toMatch(
        /; \d+ pages? without the filters: pain\n$/,
      )
    expect((await command(['search', dir, 'zeppelin', 'lang:fr'])).stdout).toContain('(zeppe*)')
    expect((await command(['search', dir, 'site:nowhere.test'])).stdout).toContain(
      '; try without the filters\n',
    )
  })

  it.each([[[]], [['']], [[' ', ' ']]])('says what is missing without a query: %j', async (words) => {
    const { exitCode, stderr } = await command(['search', dir, ...words])
    expect(exitCode).toBe(2)
    expect(stderr).toContain('what to search for?')
  })

  it('says which words were searched instead of misspelt ones', async () => {
    const { exitCode, stdout } = await command(['search', dir, 'wasp', 'spidre'])
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(
      /^No page has all of the words as they were typed\. Results for: wasp spider\n\d+ pages/,
    )
  })

  it('lists only what can be searched for a target that is not known', async () => {
    const { exitCode, stderr } = await command(['search', '--target', 'foo:bar', 'spider'])
    expect(exitCode).toBe(2)
    expect(stderr).toContain('solr:https://host:8983/solr/core, elastic:https://host:9200/index, opensearch:')
    expect(stderr).not.toContain('jsonl')
  })

  it('removes control characters of a page', async () => {
    const hostile = crawls.path('hostile')
    const text = 'spider \u001b[2J\u001b]0;x\u0007 \u202e\u0085 \u009b31m <script>'
    const id = 'http://a.test/\u001b[1m'
    const document: IndexDocument = {
      ...{ id, url: id, host: 'a.test', title: text, content: text, anchors: [], boost: 1, tstamp: 0 },
      ...{ type: 'a\u001b[0m', lang: '\u001b', segment: '', metadata: {} },
    }
    const writer = SqliteIndexWriter.open(hostile)
    await writer.write([{ kind: 'put', document }])
    await writer.commit()
    await writer.close()
    const terminal = new RecordingTerminal('')
    Object.defineProperty(terminal, 'columns', { value: 80 })
    expect(await run(['search', hostile, 'spider'], terminal)).toBe(0)
    expect(terminal.stdout.split('\u001b[1mspider\u001b[22m')).toHaveLength(3)
    const others = terminal.stdout.replaceAll('\u001b[1m', '').replaceAll('\u001b[22m', '')
    expect(others).toMatch(/^[\P{Cc}\n]*$/u)
    expect(others).not.toContain('\u202e')
  })
})
