import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OrbweaverConfig } from '../../src/adapters/config/config-schema.ts'
import type { Expectation } from '../../testing/synthetic-web/expected-crawl.ts'
import { type SyntheticWeb, startSyntheticWeb } from '../../testing/synthetic-web.ts'
import { CrawlDirectoryUnderTest } from './crawl-directory.ts'

const DELAY_MS = 20
const CONFIG: OrbweaverConfig = {
  agent: { email: 'test@example.org' },
  // A failure must not delay the test for seconds.
  politeness: { delaySeconds: DELAY_MS / 1000, backoffSeconds: 0.1, threads: 128 },
}

/** All tests use one crawl directory: each continues where the one before ended. */
describe('a crawl of a web of more than 10,000 pages', () => {
  let web: SyntheticWeb
  let crawl: CrawlDirectoryUnderTest

  beforeAll(async () => {
    web = await startSyntheticWeb({ hosts: 200, pages: 10_000 })
    crawl = await CrawlDirectoryUnderTest.create(CONFIG)
  })
  afterAll(async () => {
    await web.close()
    await crawl.remove()
  })

  it('finds exactly the reachable and allowed pages', async () => {
    const { exitCode, document } = await crawl.run('crawl', [await crawl.seedFile(web.seeds)])
    expect(exitCode).toBe(0)

    const expected = web.expected()
    const pages = urlsOf(expected, ({ status }) => status === 'db_fetched').length
    expect(pages).toBeGreaterThan(10_000)
    expect(document).toMatchObject({ ended: 'nothing due', pages })
    expectSame(await crawl.statuses(), statusesOf(expected))
    expectSame(countsOf(requestedPages(web)), countsOf(urlsOf(expected, ({ requested }) => requested)))
  })

  it('is polite: robots.txt first, one request at a time, with delays, nothing twice, nothing disallowed', () => {
    expect(violationsOf(web)).toEqual([])
  })

  it('has nothing to do when it is run again', async () => {
    web.reset()
    const { exitCode, document } = await crawl.run('crawl')
    expect(exitCode).toBe(1)
    expect(document).toMatchObject({ ended: 'nothing due', pages: 0, segments: [] })
    expect(web.requested).toEqual([])
  })

  it('requests pages again when they are due, conditionally', async () => {
    const before = await crawl.signatures()
    web.reset()
    web.edition = 2
    for (const [command, ...args] of [['generate', '--add-days', '40'], ['fetch'], ['updatedb']] as const)
      expect(await crawl.run(command, args)).toMatchObject({ exitCode: 0 })

    // A gone page is not requested for 45 days.
    const expected = web.expected()
    expectSame(
      countsOf(requestedPages(web)),
      countsOf(urlsOf(expected, ({ requested, status }) => requested && status !== 'db_gone')),
    )
    expect(violationsOf(web)).toEqual([])
    expectSame(withoutCircles(await crawl.statuses()), withoutCircles(secondStatuses(web)))

    const after = await crawl.signatures()
    for (const [url, { status }] of expected)
      if (status === 'db_fetched')
        expect([url, after.get(url) !== before.get(url)]).toEqual([url, web.changes(url)])
  })

  it('sends the validators it received, and no others', () => {
    const conditional = new Map(web.requested.map((request) => [request.url, request.conditional]))
    // A redirect target may be fetched through the redirect, without its record and so without validators.
    for (const [url, isConditional] of conditional)
      if (/\/p\/\d+$/.test(url))
        expect([url, isConditional]).toEqual([url, web.pageAt(url)?.validator !== 'none'])
    expect([...conditional.values()].filter(Boolean).length).toBeGreaterThan(5_000)
  })
})

type Expected = ReturnType<SyntheticWeb['expected']>

function urlsOf(expected: Expected, wanted: (expectation: Expectation) => boolean): string[] {
  return [...expected].filter(([, expectation]) => wanted(expectation)).map(([url]) => url)
}

function statusesOf(expected: Expected): Map<string, string> {
  return new Map([...expected].map(([url, { status }]) => [url, status]))
}

/** A time when all fetched pages are due again. */
function secondStatuses(web: SyntheticWeb): Map<string, string> {
  const statuses = statusesOf(web.expected())
  for (const [url, status] of statuses)
    if (status === 'db_fetched' && !web.changes(url)) statuses.set(url, 'db_notmodified')
  return statuses
}

/** In a redirect loop whose URLs are all known, the redirect that closes the loop differs between runs. */
function withoutCircles(statuses: ReadonlyMap<string, string>): Map<string, string> {
  return new Map([...statuses].filter(([url]) => !url.includes('/circle/')))
}

function requestedPages(web: SyntheticWeb): string[] {
  return web.requested.map(({ url }) => url).filter((url) => !url.endsWith('/robots.txt'))
}

function countsOf(urls: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const url of urls) counts.set(url, (counts.get(url) ?? 0) + 1)
  return counts
}

/** Compares only the first differences: a whole map of this size is not readable. */
function expectSame<Value>(actual: ReadonlyMap<string, Value>, wanted: ReadonlyMap<string, Value>): void {
  const differences = [...new Set([...wanted.keys(), ...actual.keys()])]
    .filter((url) => actual.get(url) !== wanted.get(url))
    .map((url) => ({ url, actual: actual.get(url), wanted: wanted.get(url) }))
  expect(differences.slice(0, 10)).toEqual([])
}

function violationsOf(web: SyntheticWeb): string[] {
  const sites = [...web.sites.values()]
  const slow = sites.filter(({ plan }) => plan.robots.crawlDelaySeconds !== undefined)
  const perHost = slow.map(({ plan: { host, robots } }) => [
    host,
    { minGapMs: (robots.crawlDelaySeconds ?? 0) * 1000 },
  ])
  return web.judge.violations({ minGapMs: DELAY_MS, perHost: Object.fromEntries(perHost) })
}
