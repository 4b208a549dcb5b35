import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { anyQuery } from '../../../testing/any-query.ts'
import type { IndexDocument } from '../../domain/indexing/index-document.ts'
import type { TextPart } from './make-snippet.ts'
import { SearchIndex } from './search-index.ts'
import { SqliteIndexWriter } from './sqlite-index-writer.ts'
import type { SynonymGroups } from './synonyms.ts'

type Page = Pick<IndexDocument, 'content'> & Partial<IndexDocument>

const PAGES: Readonly<Record<string, Page>> = {
  orb: { title: 'Orb web', content: 'The round web of an orb weaver, spun anew each night.', lang: 'en' },
  funnel: { title: 'Funnel web', content: 'A web with a funnel. The spider waits in it.', lang: 'en' },
  spider: {
    title: 'Spider',
    content: 'An animal with eight legs.',
    anchors: ['eight-legged hunter'],
    lang: 'en',
  },
  bread: {
    title: 'Sourdough bread',
    content: 'Flour, water and time.',
    host: 'shop.bakery.test',
    lang: 'en',
  },
  creme: { title: 'Crème brûlée', content: 'Une crème, un café et une façade.', lang: 'fr' },
  greek: { title: 'Ελληνικά', content: 'Η αράχνη υφαίνει τον ιστό της.', lang: 'el' },
  beijing: { title: '北京大学', content: '北京大学位于北京市海淀区，图书馆很大。', lang: 'zh' },
  shanghai: { title: '上海', content: '上海是中国最大的城市之一。', lang: 'zh' },
  tokyo: { title: '東京', content: '東京の天気は今日も晴れです。', lang: 'ja' },
  cat: { title: '고양이', content: '고양이가 지붕 위에서 자고 있습니다.', lang: 'ko' },
  thai: { title: 'แมงมุม', content: 'แมงมุมชักใยเพื่อจับแมลง', lang: 'th' },
  manual: { title: 'Manual', content: 'How to spin silk.', type: 'application/pdf', lang: 'pt-br' },
}

let index: SearchIndex
let remove: () => void
beforeAll(async () => {
  ;({ index, remove } = await indexedPages(Object.entries(PAGES).map(([name, page]) => document(name, page))))
})
afterAll(() => remove())

function document(name: string, page: Page): IndexDocument {
  const id = `http://a.test/${name}`
  return {
    ...{ id, url: id, host: 'a.test', anchors: [], boost: 1, tstamp: 1_790_000_000_000, type: 'text/html' },
    ...{ segment: '20261116000000', metadata: {} },
    ...page,
  }
}

const found = (query: string, options = {}) =>
  index.search(query, options).hits.map(({ id }) => id.slice('http://a.test/'.length))
const line = (parts: readonly TextPart[]) =>
  parts.map(({ text, marked }) => (marked ? `[${text}]` : text)).join('')

describe('SearchIndex', () => {
  it.each([
    ['spider', ['spider', 'funnel']],
    ['SPIDERS', ['spider', 'funnel']],
    ['"spiders"', []],
    ['weavers', ['orb']],
    ['intitle:webs', ['funnel', 'orb']],
    ['inurl:funnel', ['funnel']],
    ['filetype:pdf', ['manual']],
    ['web after:2027', []],
    ['web before:2027 after:2026-09', ['orb', 'funnel']],
    ['web -funnel', ['orb']],
    ['web NOT orb', ['funnel']],
    ['"orb weaver"', ['orb']],
    ['"weaver orb"', []],
    ['weav*', ['orb']],
    ['sourdough OR brulee', ['creme', 'bread']],
    ['(sourdough OR brulee) flour', ['bread']],
    ['title:web funnel', ['funnel']],
    ['title:animal', []],
    ['hunter', ['spider']],
    ['creme brulee', ['creme']],
    ['CAFÉ', ['creme']],
    ['ＣＡＦＥ', ['creme']],
    ['αραχνη', ['greek']],
    ['北京', ['beijing']],
    ['京大', ['beijing']],
    ['图书馆', ['beijing']],
    ['中国', ['shanghai']],
    ['海', ['shanghai', 'beijing']],
    ['天気', ['tokyo']],
    ['고양이', ['cat']],
    ['지붕', ['cat']],
    ['แมงมุม', ['thai']],
    ['จับแมลง', ['thai']],
    ['', []],
    ['...', []],
    ['lang:pt', ['manual']],
    ['lang:pt-BR', ['manual']],
    ['type:pdf', ['manual']],
    ['type:application/pdf silk', ['manual']],
    ['site:bakery.test', ['bread']],
    ['site:https://shop.bakery.test/x', ['bread']],
    ['site:a.test flour', []],
    ['-site:a.test', ['bread']],
    ['lang:ko OR lang:th', ['thai', 'cat']],
    ['manual', ['manual']],
  ])('finds for %j', (query, names) => {
    expect(found(query).sort()).toEqual([...names].sort())
  })

  it('puts a page first that has the words in its title, then in links to it', () => {
    expect(found('spider')).toEqual(['spider', 'funnel'])
  })

  it('takes filters as options, too', () => {
    expect(found('web', { lang: 'en' })).toHaveLength(2)
    expect(found('web', { lang: 'fr' })).toEqual([])
    expect(found('', { type: 'pdf' })).toEqual(['manual'])
    expect(found('flour', { site: 'shop.bakery.test' })).toEqual(['bread'])
    expect(found('', { site: ' ' })).toEqual([])
  })

  it('finds pages with some of the words when none has all, and says so', () => {
    const { hits, relaxed } = index.search('sourdough spider')
    expect(relaxed).toBe(true)
    expect(hits.map(({ title }) => title).sort()).toEqual(['Funnel web', 'Sourdough bread', 'Spider'])
    expect(index.search('spider').relaxed).toBe(false)
    expect(index.search('nothing nowhere')).toMatchObject({ relaxed: false, total: 0 })
  })

  it('counts what is found without filters if nothing is found with them', () => {
    const unfiltered = { query: 'web', total: 2, exact: true }
    expect(index.search('web after:2027')).toMatchObject({ total: 0, unfiltered })
    expect(index.search('web', { lang: 'fr' })).toMatchObject({ total: 0, unfiltered })
    for (const query of ['web', 'site:nowhere.test', 'nothing site:a.test', 'nothing nowhere lang:fr'])
      expect(index.search(query)).not.toHaveProperty('unfiltered')
  })

  it('marks what was found', () => {
    const [hit] = index.search('"orb weaver" spun*').hits
    expect(line(hit?.snippet ?? [])).toBe('The round web of an [orb weaver], [spun] anew each night.')
    const [title] = index.search('brulee').hits
    expect(line(title?.titleParts ?? [])).toBe('Crème [brûlée]')
    const [chinese] = index.search('北京').hits
    expect(line(chinese?.snippet ?? [])).toBe('[北京]大学位于[北京]市海淀区，图书馆很大。')
  })

  it('pages through the hits and counts them', () => {
    const all = found('lang:en', { limit: 100 })
    expect(all).toHaveLength(4)
    expect(index.search('lang:en', { limit: 1 })).toMatchObject({ total: 4, exact: true })
    expect([0, 1, 2, 3, 4].flatMap((offset) => found('lang:en', { offset, limit: 1 }))).toEqual(all)
    expect(found('lang:en', { offset: -1, limit: -1 })).toEqual([])
  })

  it('counts hosts, types and languages of what was found', () => {
    const { facets } = index.search('site:test')
    expect(facets.host).toEqual([
      { value: 'a.test', count: 11 },
      { value: 'shop.bakery.test', count: 1 },
    ])
    expect(facets.type).toContainEqual({ value: 'application/pdf', count: 1 })
    expect(facets.lang[0]).toEqual({ value: 'en', count: 4 })
  })

  it('gives a document back whole', () => {
    expect(index.document('http://a.test/creme')).toEqual(
      document('creme', PAGES['creme'] ?? { content: '' }),
    )
    expect(index.document('http://a.test/nowhere')).toBeUndefined()
  })

  it('has a response for every query', () => {
    fc.assert(
      fc.property(anyQuery(), fc.string({ unit: 'binary' }), (text, site) => {
        expect(index.search(text).total).toBeLessThanOrEqual(12)
        index.search(text, { site, type: site, lang: site })
      }),
      { numRuns: 100 },
    )
    expect(index.search(`${'('.repeat(300)}${'a OR b NOT '.repeat(100)}`).total).toBe(12)
  })
})

/** An index of its own, to be removed. */
async function indexedPages(pages: readonly IndexDocument[], synonyms?: SynonymGroups) {
  const dir = mkdtempSync(join(tmpdir(), 'orbweaver-search-'))
  const writer = SqliteIndexWriter.open(dir, synonyms)
  await writer.write(pages.map((page) => ({ kind: 'put', document: page })))
  await writer.commit()
  await writer.close()
  const index = SearchIndex.open(dir)
  const remove = () => {
    index.close()
    rmSync(dir, { recursive: true })
  }
  return { index, remove }
}

async function withPages(
  pages: readonly IndexDocument[],
  use: (index: SearchIndex) => void,
  synonyms?: SynonymGroups,
): Promise<void> {
  const { index, remove } = await indexedPages(pages, synonyms)
  try {
    use(index)
  } finally {
    remove()
  }
}

const namesOf = ({ hits }: { readonly hits: readonly { readonly id: string }[] }) =>
  hits.map(({ id }) => id.slice('http://a.test/'.length))

it('puts the page first that has the query as its title, although most pages have the words', async () => {
  const pages = [
    ...Array.from({ length: 30 }, (_, i) =>
      document(`p${i}`, { title: `Chapter ${i}`, content: `${'You create a table here. '.repeat(9)}${i}` }),
    ),
    document('as', { title: 'CREATE TABLE AS', content: 'Create a table from a query.' }),
    document('create', { title: 'CREATE TABLE', content: 'Defines a new one.' }),
    document('linked', { title: 'Chapter 77', content: 'x', anchors: ['drop table'] }),
  ]
  await withPages(pages, (index) => {
    expect(namesOf(index.search('create table')).slice(0, 2)).toEqual(['create', 'as'])
    expect(namesOf(index.search('drop table'))[0]).toBe('linked')
  })
})

it('ranks exact forms of a word before others', async () => {
  const pages = [
    document('forms', { content: 'Weaving, weaving and weaving.', lang: 'en' }),
    document('exact', {
      content: 'To weave is an art of long days, and nights, and of many years.',
      lang: 'en',
    }),
    ...Array.from({ length: 9 }, (_, i) => document(`other${i}`, { content: `Silk ${i}.`, lang: 'en' })),
  ]
  await withPages(pages, (index) => expect(namesOf(index.search('weave'))).toEqual(['exact', 'forms']))
})

it('finds synonyms, which rank after the words themselves', async () => {
  const contents = { word: 'About JavaScript.', phrase: 'An ECMA script.', other: 'Silk.' }
  const pages = Object.entries(contents).map(([name, content]) => document(name, { content }))
  await withPages(
    pages,
    (index) => {
      expect(namesOf(index.search('javascript'))).toEqual(['word', 'phrase'])
      expect(namesOf(index.search('js')).sort()).toEqual(['phrase', 'word'])
      expect(index.search('"js"').total).toBe(0)
    },
    [['js', 'JavaScript', 'ECMA script']],
  )
})

it('suggests words of the index for misspelt ones', async () => {
  const pages = [
    document('a', { content: 'The autovacuum daemon has a threshold.' }),
    document('b', { content: 'Tune autovacuum.' }),
  ]
  await withPages(pages, (index) => {
    expect(index.search('"Autovacuun" treshold lang:en').suggestion).toBe('"autovacuum" threshold lang:en')
    for (const query of ['autovacuum', 'zzzzzz']) {
      expect(index.search(query)).not.toHaveProperty('suggestion')
      expect(index.search(query)).not.toHaveProperty('corrected')
    }
  })
})

it('searches for the suggested words if no page has those that were typed', async () => {
  const pages = [
    document('a', { content: 'The autovacuum daemon has a threshold.' }),
    document('b', { content: 'Tune autovacuum. A daemon.' }),
  ]
  await withPages(pages, (index) => {
    for (const query of ['autovacum', 'utovacuum']) {
      const found = index.search(query)
      expect(found).toMatchObject({ corrected: 'autovacuum', total: 2, relaxed: false })
      expect(found).not.toHaveProperty('suggestion')
    }
    expect(namesOf(index.search('autovacum treshold'))).toEqual(['a'])
    expect(index.search('"autovacum"')).toMatchObject({ suggestion: '"autovacuum"', total: 0 })
  })
})

it('leaves out of ranking and snippets what most pages of a host share', async () => {
  const pages = Array.from({ length: 12 }, (_, i) =>
    document(`p${i}`, {
      title: `Part ${'abcdefghijkl'[i]} — The Manual`,
      content: `Prev\tUp part ${i}\tHome\tNext\nThis text is about item${i}.\nCopyright The Authors`,
    }),
  )
  const far = document('far', { content: 'Go home.', host: 'b.test', title: 'Home' })
  await withPages([...pages, far], (index) => {
    expect(namesOf(index.search('home'))[0]).toBe('far')
    const [hit] = index.search('item3').hits
    expect(line(hit?.snippet ?? [])).toBe('Up part 3 This text is about [item3].')
    expect(index.document('http://a.test/p3')?.content).toContain('Home\tNext')
  })
})

it('finds pages by a word that they share with their host, without counting it', async () => {
  const pages = Array.from({ length: 12 }, (_, i) =>
    document(`p${i}`, { title: `Part ${i} — Ada Lovelace`, content: `Menu\nItem${i} is here.\nThe end` }),
  )
  const about = document('about', { title: 'About me — Ada Lovelace', content: 'My name is Ada.\nThe end' })
  await withPages([...pages, about], (index) => {
    const { total, hits, suggestion } = index.search('ada')
    expect({ total, suggestion }).toEqual({ total: 13, suggestion: undefined })
    expect(hits.map(({ score }) => score > 0)).toEqual([true, ...Array(9).fill(false)])
    expect(hits[0]?.url).toBe('http://a.test/about')
    expect(namesOf(index.search('ada item7'))).toEqual(['p7'])
    expect(namesOf(index.search('item7 -ada'))).toEqual(['p7'])
  })
})

it('suggests a word of which two letters in the middle are swapped', async () => {
  const pages = [document('a', { content: 'A model field.' }), document('b', { content: 'Another field.' })]
  await withPages(pages, (index) => expect(index.search('model feild').corrected).toBe('model field'))
})

it('ranks a page whose text has the words next to one another before one that has them apart', async () => {
  const filler = 'Other things are explained at length. '.repeat(10)
  const pages = [
    document('apart', { content: `The lock is here. The lock is there. ${filler} A timeout. A timeout.` }),
    document('near', { content: `${filler}${filler} Set the lock timeout.` }),
    ...Array.from({ length: 9 }, (_, i) => document(`other${i}`, { content: `Silk ${i}.` })),
  ]
  await withPages(pages, (index) => expect(namesOf(index.search('lock timeout'))).toEqual(['near', 'apart']))
})

it('finds a page that lacks one of several words only if its names fit better than those of all others', async () => {
  const pages = [
    document('view', {
      title: 'Create view',
      anchors: ['create view'],
      content: 'Its rails are drawn below.',
    }),
    document('all', { title: 'Overview', content: 'To create a view, see the syntax. A diagram follows.' }),
    document('some', { title: 'Syntax', content: 'A view of the grammar.' }),
    ...Array.from({ length: 9 }, (_, i) => document(`other${i}`, { content: `Silk ${i}.` })),
  ]
  await withPages(pages, (index) => {
    expect(namesOf(index.search('create view diagram'))).toEqual(['view', 'all'])
    expect(namesOf(index.search('"create" view diagram'))).toEqual(['all'])
    expect(index.search('create view diagram').total).toBe(2)
  })
})

it('lists near-duplicates under the best of them', async () => {
  const pages = [
    document('long', { title: 'Orb webs', content: 'The orb web.', cluster: 'c1' }),
    document('print', { title: 'Print', content: 'The orb web.', cluster: 'c1' }),
    document('alone', { title: 'Alone', content: 'An orb of glass.' }),
  ]
  await withPages(pages, (index) => {
    const result = index.search('orb')
    expect(namesOf(result)).toEqual(['long', 'alone'])
    expect(result.hits[0]?.similar).toEqual([{ url: 'http://a.test/print', title: 'Print' }])
    expect(result.hits[1]).not.toHaveProperty('similar')
  })
})

it('sorts by the date of pages', async () => {
  const day = (text: string) => Date.parse(text)
  const pages = [
    document('old', { title: 'Orb', content: 'Orb.', published: day('2020-01-01') }),
    document('new', { content: 'An orb.', lastModified: day('2026-08-01') }),
    document('mid', {
      content: 'An orb again.',
      published: day('2024-05-05'),
      lastModified: day('2026-09-01'),
    }),
  ]
  await withPages(pages, (index) => {
    expect(namesOf(index.search('orb sort:date'))).toEqual(['new', 'mid', 'old'])
    expect(namesOf(index.search('orb', { sort: 'date' }))).toEqual(['new', 'mid', 'old'])
    expect(namesOf(index.search('orb'))[0]).toBe('old')
    expect(namesOf(index.search('orb after:2024 before:2026'))).toEqual(['mid'])
  })
})

it('links more pages of the first site under its hit', async () => {
  const pages = [
    ...Array.from({ length: 5 }, (_, i) => document(`orb${i}`, { title: `Orb ${i}`, content: 'Orb.' })),
    document('first', { title: 'Orb', content: 'Orb.', anchors: ['orb'], boost: 99 }),
    document('far', { title: 'Far orb', content: 'Orb.', anchors: ['orb'], host: 'b.test' }),
  ]
  await withPages(pages, (index) => {
    const { hits, siteLinks = [] } = index.search('orb', { limit: 3 })
    const shown = hits.map(({ url }) => url)
    expect(siteLinks.length).toBeGreaterThan(0)
    expect(siteLinks.every(({ url }) => !shown.includes(url))).toBe(true)
  })
})

it('ranks well-linked pages first among equals, and words before links', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'orbweaver-search-'))
  const writer = SqliteIndexWriter.open(dir)
  const pages = [
    document('plain', { content: 'The weaver.' }),
    document('linked', { content: 'The weaver.', boost: 30 }),
    document('passing', {
      content: `A weaver is named once. ${'Other words follow. '.repeat(50)}`,
      boost: 1000,
    }),
    document('title', { title: 'Weaver', content: 'About it.', boost: 0 }),
    ...Array.from({ length: 20 }, (_, i) => document(`other${i}`, { content: `Something else ${i}.` })),
  ]
  await writer.write(pages.map((page) => ({ kind: 'put', document: page })))
  await writer.commit()
  await writer.close()
  const index = SearchIndex.open(dir)
  // Most pages have “something”, and none of these.
  expect(index.search('something weaver')).toMatchObject({ total: 4, relaxed: false })
  expect(index.search('"something" else').total).toBe(20)
  expect(index.search('weaver').hits.map(({ title, id }) => title || id.slice(14))).toEqual([
    'Weaver',
    'linked',
    'plain',
    'passing',
  ])
  index.close()
  rmSync(dir, { recursive: true })
})

it('finds other forms of words on pages that do not declare their language', async () => {
  const content = 'The weaving of spiders and the silk of the night, with dew.'
  await withPages([document('webs', { title: 'Webs', content })], (index) =>
    expect(namesOf(index.search('weave'))).toEqual(['webs']),
  )
})

it('ranks a long page that has a word often before a short one that mentions it once', async () => {
  const filler = (words: number) => Array.from({ length: words }, (_, i) => `word${i}`).join(' ')
  const others = ['a', 'b', 'c', 'd'].map((name) => document(name, { title: name, content: filler(150) }))
  const pages = [
    document('short', { title: 'Short', content: `silk ${filler(120)}` }),
    document('long', { title: 'Long', content: `silk ${filler(400)} silk` }),
  ]
  await withPages([...pages, ...others], (index) =>
    expect(namesOf(index.search('silk'))).toEqual(['long', 'short']),
  )
})

it('finds in an open index what another process has changed since the last search', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'orbweaver-search-'))
  const write = async (page: IndexDocument, synonyms?: SynonymGroups) => {
    const writer = SqliteIndexWriter.open(dir, synonyms)
    await writer.write([{ kind: 'put', document: page }])
    await writer.commit()
    await writer.close()
  }
  await write(document('webs', { content: 'Weaving silk.' }))
  const index = SearchIndex.open(dir)
  expect(index.search('silk').facets).toMatchObject({ host: [{ value: 'a.test', count: 1 }], lang: [] })
  expect(['weave', 'thread'].map((query) => index.search(query).total)).toEqual([0, 0])
  await write(document('webs', { content: 'Weaving silk.', host: 'b.test', lang: 'en' }), [
    ['thread', 'silk'],
  ])
  expect(index.search('silk').facets).toMatchObject({
    host: [{ value: 'b.test', count: 1 }],
    lang: [{ value: 'en', count: 1 }],
  })
  expect(['weave', 'thread'].map((query) => index.search(query).total)).toEqual([1, 1])
  index.close()
  rmSync(dir, { recursive: true })
})

it('ranks pages by names and links for a word that most of very many pages have', async () => {
  const pages = Array.from({ length: 4_100 }, (_, i) =>
    document(`p${i}`, { content: `${'the '.repeat(1 + (i % 5))}page ${i}` }),
  )
  pages[700] = document('linked', { content: 'the page with many links', boost: 30 })
  pages[4_050] = document('titled', { title: 'The', content: 'About the article.' })
  await withPages(pages, (index) => {
    const result = index.search('the')
    expect(namesOf(result).slice(0, 2)).toEqual(['titled', 'linked'])
    expect(result).toMatchObject({ total: 2_000, exact: false })
  })
})

it('finds a page by its title, although the names of thousands of others have the word', async () => {
  const pages = Array.from({ length: 2_100 }, (_, i) =>
    document(`p${i}`, { content: `page ${i}`, anchors: [`the next page after the previous one, ${i}`] }),
  )
  pages.push(document('titled', { title: 'Next', content: 'A word.', anchors: ['next'] }))
  await withPages(pages, (index) => expect(namesOf(index.search('next'))[0]).toBe('titled'))
})

it('shows where the word is in a very long text', async () => {
  const long = Array.from({ length: 20_000 }, (_, i) => `Line ${i} of a long page.`).join('\n')
  const pages = [document('long', { content: `${long}\nHere is the spinneret of a spider.\n${long}` })]
  await withPages(pages, (index) => {
    expect(line(index.search('spinneret').hits[0]?.snippet ?? [])).toContain('the [spinneret] of a spider')
  })
})
