import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { frameEnd } from '../../src/base/zstd-frames.ts'
import type { Certificate } from '../../src/domain/certificate/certificate.ts'
import { certifyCrawl } from '../../src/wiring/certify-crawl.ts'
import type { OpenCrawlOptions } from '../../src/wiring/cycle-options.ts'
import { spider } from '../../src/wiring/define-spider.ts'
import { openCrawl } from '../../src/wiring/open-crawl.ts'
import { runSpider } from '../../src/wiring/run-spider.ts'
import { limitsFor } from '../../testing/judge/limits.ts'
import type { Limits } from '../../testing/judge.ts'
import { JudgedSite, type JudgedSiteOptions } from './judged-site.ts'

// The judge sees the requests at the server; the certificate is made from the log of the crawler. They know nothing of each other.

const AGENT = { email: 'test@example.org' }
const DELAY_MS = 60

let folder: string
let directory: string
let site: JudgedSite
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'orbweaver-certify-'))
  directory = join(folder, 'crawl')
})
afterEach(async () => {
  await site.close()
  await rm(folder, { recursive: true, force: true })
})

async function crawlSite(
  options: JudgedSiteOptions,
  settings: OpenCrawlOptions = {},
  dir = directory,
): Promise<void> {
  site ??= await JudgedSite.start(options)
  await using crawl = await openCrawl(dir, {
    agent: AGENT,
    politeness: { delaySeconds: DELAY_MS / 1000 },
    ...settings,
  })
  await crawl.inject([site.url])
  await crawl.run({ retries: 2 })
}

/** Both saw the same requests, and neither a violation. */
async function expectAgreement(limits: Limits = { minGapMs: DELAY_MS }): Promise<Certificate> {
  const certificate = await certifyCrawl(directory)
  const [verdict] = site.judge.verdicts().values()
  const [host] = certificate.hosts
  expect(site.judge.violations({ maxRepeats: 3, ...limits })).toEqual([])
  expect(host?.violations).toEqual([])
  expect(certificate).toMatchObject({ violations: 0, isComplete: true, notes: [], requests: verdict?.hits })
  // The parallel requests of the server may be fewer, as may be the time between two of them: they take time to arrive.
  expect(verdict?.mostInParallel).toBeLessThanOrEqual(host?.mostInFlight ?? 0)
  expect(verdict?.smallestGapMs).toBeGreaterThanOrEqual((host?.gapAfterResponse?.smallestMs ?? 0) - 1)
  return certificate
}

describe('the certificate of a polite crawl agrees with the judge', () => {
  beforeEach(() => {
    site = undefined as unknown as JudgedSite
  })

  it('with the configured delay', async () => {
    await crawlSite({ pages: 8 })
    const { hosts } = await expectAgreement()
    expect(hosts[0]).toMatchObject({ requests: 10, robotsRequests: 1, mostInFlight: 1 })
    expect(hosts[0]?.gapAfterResponse?.smallestMs).toBeGreaterThanOrEqual(DELAY_MS - 1)
  })

  it('with a Crawl-delay and disallowed pages, whose lines it quotes', async () => {
    const robots = 'User-agent: *\nCrawl-delay: 0.15\nDisallow: /private\nAllow: /private/open'
    await crawlSite({ pages: 4, robots, more: ['/private/1', '/private/2', '/private/open'] })
    site.judge.disallow('127.0.0.1', '/private/1')
    const { hosts } = await expectAgreement({ minGapMs: 150 })
    expect(hosts[0]).toMatchObject({ crawlDelayMs: 150, disallowedUrls: 2 })
    expect(hosts[0]?.robots[0]?.decisions).toMatchObject([
      { urls: 5, allowed: true },
      { urls: 2, allowed: false, line: 3, text: 'Disallow: /private' },
      { urls: 1, allowed: true, line: 4, text: 'Allow: /private/open' },
    ])
  })

  it('with 429 and Retry-After', async () => {
    await crawlSite(
      { pages: 4, limited: { path: '/2', seconds: 1 } },
      { politeness: { delaySeconds: DELAY_MS / 1000, backoffSeconds: 0.1 } },
    )
    const { hosts } = await expectAgreement()
    expect(hosts[0]?.retryAfter).toMatchObject({ tooManyRequests: 1, responses: 1, obeyed: 1 })
    expect(hosts[0]?.outcomes).toMatchObject({ 429: 1 })
  })

  it('with several requests at the same time', async () => {
    const delays = { delayMs: 30, maxInFlight: 4 }
    await crawlSite({ pages: 20, latencyMs: 150 }, { politeness: { delaySeconds: 0.03, threadsPerHost: 4 } })
    const { hosts } = await expectAgreement(limitsFor(delays))
    expect(hosts[0]?.mostInFlight).toBeGreaterThan(1)
    expect(hosts[0]?.gapBetweenStarts?.smallestMs).toBeGreaterThanOrEqual(29)
  })

  it('with a spider that is run twice', async () => {
    site = await JudgedSite.start({ pages: 8 })
    const links = spider({
      ...{ name: 'links', start: site.url, allow: ['127.0.0.1'] },
      settings: { agent: AGENT, politeness: { delaySeconds: DELAY_MS / 1000 } },
      rules: [{ links: {}, handler: 'page', follow: true }],
      parse: (page) => page.item({ url: page.url }),
      handlers: { page: (page) => page.item({ url: page.url }) },
    })
    await runSpider(links, { dir: directory, maxPages: 4 })
    await runSpider(links, { dir: directory })
    const { hosts, crawlers } = await expectAgreement()
    expect(crawlers).toMatchObject([{ processes: 2, userAgent: expect.stringContaining('test@example.org') }])
    expect(hosts[0]?.requests).toBeGreaterThanOrEqual(10)
  })

  it('without a log if requestLog is false', async () => {
    await crawlSite({ pages: 1 }, { requestLog: false })
    expect(await certifyCrawl(directory)).toMatchObject({ requests: 0, hosts: [] })
  })
})

describe('the certificate of an impolite crawl agrees with the judge', () => {
  beforeEach(() => {
    site = undefined as unknown as JudgedSite
  })

  async function logName(dir: string): Promise<string> {
    const [name = ''] = await readdir(join(dir, 'requests'))
    return name
  }

  it('if two crawls that do not know each other request the same host', async () => {
    site = await JudgedSite.start({ pages: 10 })
    const other = join(folder, 'other')
    await Promise.all([crawlSite({ pages: 10 }), crawlSite({ pages: 10 }, {}, other)])
    for (const dir of [directory, other]) expect((await certifyCrawl(dir)).violations).toBe(0)
    // The owner of the site sees both.
    await cp(join(other, 'requests'), join(directory, 'requests'), { recursive: true })
    const seen = site.judge.violations({ minGapMs: DELAY_MS, maxRepeats: 100, maxInParallel: 2 })
    const certificate = await certifyCrawl(directory)
    expect(certificate.requests).toBe(site.judge.hits.length)
    expect(seen).toEqual([expect.stringContaining('after a response ended, not 60 ms')])
    expect(certificate.hosts[0]?.violations.map(({ rule }) => rule)).toContain('delay')
  })

  it('if a page was requested that robots.txt disallows', async () => {
    await crawlSite({ pages: 4, robots: 'User-agent: *\nAllow: /' })
    // The same crawl, as if the file had disallowed a page.
    site.judge.disallow('127.0.0.1', '/3')
    const path = join(directory, 'requests', await logName(directory))
    const text = textOf(await readFile(path))
    await writeFile(
      path,
      zstdCompressSync(
        text.replace('"text":"User-agent: *\\nAllow: /"', '"text":"User-agent: *\\nDisallow: /3"'),
      ),
    )
    expect(site.judge.violations({ minGapMs: DELAY_MS })).toEqual([
      '127.0.0.1: requested /3, which is disallowed',
    ])
    expect((await certifyCrawl(directory)).hosts[0]?.violations).toMatchObject([
      {
        rule: 'robots-disallowed',
        url: `${site.url}3`,
        message: expect.stringContaining('line 2: Disallow: /3'),
      },
    ])
  })
})

/** The lines of all frames. */
function textOf(log: Buffer): string {
  let text = ''
  for (let at = 0; at < log.length; ) {
    const end = frameEnd(log, at)
    if (typeof end !== 'number') break
    text += zstdDecompressSync(log.subarray(at, end)).toString()
    at = end
  }
  return text
}
