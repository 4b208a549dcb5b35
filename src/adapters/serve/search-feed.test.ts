import { Parser } from 'htmlparser2'
import { expect, it } from 'vitest'
import type { FoundPages } from './responses.ts'
import { searchFeed } from './search-feed.ts'

const FOUND: FoundPages = {
  kind: 'found',
  offset: 10,
  hits: [
    {
      id: 'http://a.test/?a=1&b=2',
      url: 'http://a.test/?a=1&b=2',
      titleParts: [
        { text: 'Orb <', marked: false },
        { text: 'web\u0000>', marked: true },
      ],
      snippet: [{ text: 'A ]]> & web\ud800', marked: false }],
      ...{ host: 'a.test', lang: 'en', tstamp: 1, date: Date.UTC(2026, 10, 17) },
    },
    { id: 'http://a.test/x', url: 'http://a.test/x', titleParts: [], snippet: [], host: 'a.test', tstamp: 1 },
  ],
  ...{ total: 12, exact: true, relaxed: false, facets: { host: [], type: [], lang: [] }, tookMs: 1 },
}

it('is XML with the results, whatever is in them', () => {
  const texts: string[] = []
  let path: string[] = []
  const parser = new Parser(
    {
      onopentag: (name) => path.push(name),
      ontext: (text) => texts.push(`${path.at(-1)}: ${text}`),
      onclosetag: () => {
        path = path.slice(0, -1)
      },
    },
    { xmlMode: true, decodeEntities: true },
  )
  parser.end(searchFeed('orb & "web"', 'http://127.0.0.1/api/search.rss?q=x', FOUND))
  const joined = texts.join('').replaceAll(/(\w+): (?!\n)/g, '|$1=')
  expect(path).toEqual([])
  for (const part of [
    'totalResults=12',
    'startIndex=11',
    'link=http://127.0.0.1/?q=x',
    'pubDate=Tue, 17 Nov 2026',
  ])
    expect(joined).toContain(part)
  expect(texts.map((text) => text.replace(/^[^:]*(:\w+)?: /, '')).join('')).toContain('Orb <web>')
})
