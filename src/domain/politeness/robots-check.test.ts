import { expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { runClock } from '../../../testing/run-clock.ts'
import { type Script, ScriptedFetcher } from '../../../testing/scripted-fetcher.ts'
import { RobotsCache } from '../robots/robots-cache.ts'
import { MemoryRobotsStore } from '../robots/robots-record.ts'
import { hostOf } from '../url/host-of.ts'
import { PoliteFetcher } from './polite-fetcher.ts'

const AI_TXT = 'http://a.test/ai.txt'
const TDM_REP = 'http://a.test/.well-known/tdmrep.json'
const TEXT = [['content-type', 'text/plain']] as const

const SITE: Readonly<Record<string, Script | string>> = {
  'http://a.test/robots.txt': 'User-agent: *\nDisallow: /private\nCrawl-delay: 3',
  [AI_TXT]: { headers: TEXT, body: 'User-Agent: *\nDisallow: *.html' },
  [TDM_REP]: { headers: TEXT, body: '[{"location":"/","tdm-reservation":1}]' },
  'http://a.test/1': 'one',
  'http://a.test/2': 'two',
}

function lab(changes: Readonly<Record<string, Script | string>> = {}, { aiUseFiles = true } = {}) {
  const clock = new FakeClock()
  const web = new ScriptedFetcher(clock, { ...SITE, ...changes })
  const store = new MemoryRobotsStore()
  const polite = () =>
    new PoliteFetcher(
      { clock, fetcher: web, robots: new RobotsCache(clock, 'testbot', { aiUseFiles, store }) },
      { threads: 4, keyOf: hostOf, politeness: { delayMs: 1_000 } },
    )
  const first = polite()
  const fetch = async (url: string, fetcher = first) => {
    const fetching = fetcher.fetch({ request: { url } }).then((result) => {
      if (result.kind === 'fetched') result.release()
      return result
    })
    return runClock(clock, fetching)
  }
  const statements = async (url: string, fetcher = first) => {
    const result = await fetch(url, fetcher)
    return result.kind === 'fetched' ? result.aiUse.map(({ use, source }) => `${use} ${source}`) : result.kind
  }
  return { clock, web, fetch, statements, polite, requested: () => web.requests.map(({ url }) => url) }
}

it('reads the AI-use preferences of a host once, before its first page, with the delay of the host', async () => {
  const { statements, requested, web } = lab()
  const expected = ['train ai.txt', 'train tdmrep.json', 'input tdmrep.json']
  expect(await statements('http://a.test/1')).toEqual(expected)
  expect(await statements('http://a.test/2')).toEqual(expected)
  expect(requested()).toEqual([
    ...['http://a.test/robots.txt', AI_TXT, TDM_REP],
    ...['http://a.test/1', 'http://a.test/2'],
  ])
  expect(web.judge.violations({ minGapMs: 3_000, maxRepeats: 1 })).toEqual([])
})

it('sends no such request by default', async () => {
  const { statements, requested } = lab({}, { aiUseFiles: false })
  expect(await statements('http://a.test/1')).toEqual([])
  expect(requested()).toEqual(['http://a.test/robots.txt', 'http://a.test/1'])
})

it('shares the files with other processes, and fetches them again after a day', async () => {
  const { statements, requested, clock, polite } = lab()
  await statements('http://a.test/1')
  expect(await statements('http://a.test/2', polite())).toHaveLength(3)
  expect(requested().filter((url) => url === AI_TXT)).toHaveLength(1)
  clock.advance(25 * 3_600_000)
  expect(await statements('http://a.test/1')).toHaveLength(3)
  expect(requested().filter((url) => url === AI_TXT)).toHaveLength(2)
})

it('does not fetch files that robots.txt disallows, nor any for a URL that it disallows', async () => {
  const { statements, requested } = lab({
    'http://a.test/robots.txt': 'User-agent: *\nDisallow: /private\nDisallow: /.well-known/',
  })
  expect(await statements('http://a.test/private')).toBe('disallowed')
  expect(requested()).toEqual(['http://a.test/robots.txt'])
  expect(await statements('http://a.test/1')).toEqual(['train ai.txt'])
  expect(requested()).not.toContain(TDM_REP)
})

it.each<[string, Script]>([
  ['an error page', { body: '<!doctype html><title>Home</title>' }],
  ['a redirect to another site', { status: 302, to: 'http://b.test/ai.txt' }],
  ['a redirect loop', { status: 302, to: AI_TXT }],
  ['a server error', { status: 500 }],
  ['a broken connection', { status: 'reset' }],
])('crawls a site whose files are %s', async (_, script) => {
  const { statements, requested } = lab({ [AI_TXT]: script, [TDM_REP]: { status: 404 } })
  expect(await statements('http://a.test/1')).toEqual([])
  expect(requested().every((url) => url.startsWith('http://a.test/'))).toBe(true)
})

it('follows redirects within the site', async () => {
  const { statements } = lab({
    [AI_TXT]: { status: 301, to: 'http://a.test/files/ai.txt' },
    'http://a.test/files/ai.txt': { headers: TEXT, body: 'User-Agent: *\nDisallow: /' },
    [TDM_REP]: { status: 404 },
  })
  expect(await statements('http://a.test/1')).toEqual(['train ai.txt', 'images ai.txt'])
})
