import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openServerSearch } from '../../src/adapters/search-servers/open-index-writer.ts'
import type { ServerSearch } from '../../src/adapters/search-servers/server-search.ts'
import { wallClock } from '../../src/base/clock.ts'
import { ConfigurationError } from '../../src/base/crawl-error.ts'
import { runOrbweaver } from '../../test/run-orbweaver.ts'
import { put } from '../index-documents.ts'
import type { OpenIndex } from '../index-writer-contract.ts'

/** An empty index with the name of its target. */
export type SearchedIndex = OpenIndex & { readonly target: string }

/** Tests of searches on a server. @param isPlain the index has no filters for accents and for Chinese, Japanese and Korean */
export function serverSearchContract(
  openIndex: () => Promise<SearchedIndex>,
  { isPlain = false }: { readonly isPlain?: boolean } = {},
): void {
  describe('search', () => {
    let index: SearchedIndex
    let search: ServerSearch
    const open = (target: string) => openServerSearch(target, { clock: wallClock, environment: {} })
    beforeAll(async () => {
      index = await openIndex()
      await index.writer.write(PAGES.map(([id, more]) => put(id, more)))
      await index.writer.commit()
      search = await open(index.target)
    }, 120_000)
    afterAll(async () => {
      await search?.close()
      await index?.writer.close()
      await index?.close()
    })
    const found = async (query: string) =>
      (await search.search(query)).hits.map(({ id }) => id.replace(/^.*\//, ''))

    it.each([
      ['spider', ['orb', 'silk']],
      ['spider silk', ['silk']],
      ['"orb web"', ['orb']],
      ['"web orb"', []],
      ['spid* -silk', ['orb']],
      ['intitle:silk', ['silk']],
      ['inurl:animals spider', ['orb']],
      ['site:example.org', ['brulee', 'orb']],
      ['site:example.org -spider', ['brulee']],
      ['type:pdf', ['silk']],
      ['lang:en', ['orb', 'silk']],
      ['after:2026-02', ['silk']],
      ['before:2026-02 spider', ['orb']],
      ['bread OR silk', ['bread', 'brulee', 'silk']],
      ['-spider -bread -site:example.org -inurl:copies', ['beijing']],
      ...(isPlain
        ? []
        : [
            ['creme', ['brulee']],
            ['北京', ['beijing']],
            ['北', ['beijing']],
          ]),
      ['zebra', []],
      ['', []],
      ['*:* {!func} \\ AND " ) ~ [', []],
    ] as [string, string[]][])('finds the pages for %j', async (query, pages) => {
      expect((await found(query)).sort()).toEqual(pages)
    })

    it('ranks titles first, and sorts by date', async () => {
      expect(await found('bread OR butter')).toEqual(['bread', 'brulee'])
      expect(await found('spider sort:date')).toEqual(['silk', 'orb'])
      const { hits } = await search.search('spider', { sort: 'date' })
      expect(hits.map(({ title }) => title)[0]).toBe('Silk')
    })

    it('lists near-duplicates under the best of them, and tells dates', async () => {
      const { hits, total } = await search.search('inurl:copies')
      expect(total).toBe(3)
      expect(hits.map(({ similar = [] }) => similar.length).sort()).toEqual([0, 1])
      const [group] = hits.filter(({ similar }) => similar !== undefined)
      const urls = [group?.url, ...(group?.similar ?? []).map(({ url }) => url)]
      expect(urls.sort()).toEqual(['https://example.fr/copies/1', 'https://example.fr/copies/2'])
      expect(hits.map(({ date }) => date)).toEqual([Date.UTC(2024, 0, 1), Date.UTC(2024, 0, 1)])
    })

    it('counts what is found without filters if nothing is found with them', async () => {
      const unfiltered = { query: 'spider', total: 2, exact: true }
      expect(await search.search('spider lang:fr -site:a.test')).toMatchObject({ total: 0, unfiltered })
      expect(await search.search('spider', { site: 'a.test' })).toMatchObject({ total: 0, unfiltered })
      expect(await search.search('zebra lang:fr')).not.toHaveProperty('unfiltered')
      expect(await search.search('spider')).not.toHaveProperty('unfiltered')
    })

    it('marks matches, counts facets and pages through the result', async () => {
      const { hits, total, facets } = await search.search('silk', { limit: 1 })
      expect(total).toBe(1)
      expect(hits[0]).toMatchObject({ title: 'Silk', type: 'application/pdf', tstamp: 1_790_000_000_000 })
      expect(hits[0]?.titleParts).toEqual([{ text: 'Silk', marked: true }])
      expect(hits[0]?.snippet.filter(({ marked }) => marked).map(({ text }) => text)).toContain('silk')
      expect(facets.host).toEqual([{ value: 'example.com', count: 1 }])
      expect((await search.search('lang:en', { offset: 1 })).hits).toHaveLength(1)
    })

    it('takes conditions as options', async () => {
      const { hits } = await search.search('spider', { site: 'example.org', lang: 'en', type: 'html' })
      expect(hits.map(({ url }) => url)).toEqual(['https://www.example.org/animals/orb'])
    })

    it('says that there is no such index', async () => {
      const lost = await open(`${index.target}-lost`)
      await expect(lost.search('x')).rejects.toThrow(ConfigurationError)
      await expect(lost.search('x')).rejects.toThrow('there is no such core, collection or index')
      await lost.close()
    })

    it('is what the command prints', async () => {
      const text = await runOrbweaver(['search', '--target', index.target, 'spider', '--site', 'example.org'])
      expect(text.stdout).toContain('1. Orb weavers\n   https://www.example.org/animals/orb')
      expect(text.exitCode).toBe(0)
      const json = await runOrbweaver(['search', '--target', index.target, 'zebra', '--json'])
      expect(json.exitCode).toBe(1)
      expect(JSON.parse(json.stdout)).toMatchObject({ query: 'zebra', total: 0, hits: [] })
    })
  })
}

type Page = NonNullable<Parameters<typeof put>[1]>

const PAGES: ReadonlyArray<readonly [id: string, more: Page]> = [
  [
    'https://www.example.org/animals/orb',
    {
      ...{ host: 'www.example.org', title: 'Orb weavers', type: 'text/html', lang: 'en-us' },
      ...{ content: 'A spider that builds an orb web.', published: Date.UTC(2026, 0, 10) },
    },
  ],
  [
    'https://example.com/silk',
    {
      ...{ host: 'example.com', title: 'Silk', type: 'application/pdf', lang: 'en' },
      ...{
        content: 'The silk of a spider is strong.',
        published: Date.UTC(2026, 2, 10),
        anchors: ['strong'],
      },
    },
  ],
  [
    'https://example.net/bread',
    { host: 'example.net', title: 'Bread', content: 'Flour and water.', published: Date.UTC(2025, 0, 1) },
  ],
  [
    'https://example.org/brulee',
    {
      host: 'example.org',
      content: 'Crème brûlée without bread or butter.',
      published: Date.UTC(2025, 0, 1),
    },
  ],
  [
    'https://example.fr/copies/1',
    { host: 'example.fr', title: 'Copy', cluster: 'c0ffee', published: Date.UTC(2024, 0, 1) },
  ],
  [
    'https://example.fr/copies/2',
    { host: 'example.fr', title: 'Copy', cluster: 'c0ffee', published: Date.UTC(2024, 0, 1) },
  ],
  ['https://example.fr/copies/3', { host: 'example.fr', title: 'Other', published: Date.UTC(2024, 0, 1) }],
  [
    'https://example.cn/beijing',
    { host: 'example.cn', content: '我住在北京。', published: Date.UTC(2025, 0, 1) },
  ],
]
