import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildRules } from '../adapters/config/build-rules.ts'
import { completeConfig } from '../adapters/config/complete-config.ts'
import { wallClock } from '../base/clock.ts'
import { readPage } from '../domain/content/read-page.ts'
import { parseRobots } from '../domain/robots/parse-robots.ts'
import type { RobotsRules } from '../domain/robots/robots-rules.ts'
import { CandidateUrl } from '../domain/url/candidate-url.ts'
import { type DemoWeb, startDemoWeb } from './demo-web.ts'

let web: DemoWeb
beforeAll(async () => {
  web = await startDemoWeb()
})
afterAll(() => web.close())

const request = (url: string, headers: Record<string, string> = {}) =>
  fetch(url, { redirect: 'manual', headers })

/** Crawls with our own parser and default rules; returns the first status of each URL. */
async function crawl({ seeds }: DemoWeb): Promise<Map<string, number>> {
  const { filter, reading } = buildRules(completeConfig({}, 'test'), { clock: wallClock, seeds })
  const robots = new Map<string, RobotsRules | undefined>()
  const statuses = new Map<string, number>()
  const waiting = [...seeds]
  for (let url = waiting.pop(); url !== undefined; url = waiting.pop()) {
    const { origin } = new URL(url)
    if (!robots.has(origin)) robots.set(origin, await robotsOf(origin))
    if (statuses.has(url) || !filter.judge(new CandidateUrl(url)).accepted) continue
    if (robots.get(origin)?.judge(url).allowed === false) continue
    const response = await request(url)
    const headers = [...response.headers]
    statuses.set(url, response.status)
    const to = response.headers.get('location')
    const target = to === null ? undefined : reading.normalize(to, url)
    if (target?.ok === true) waiting.push(target.url)
    const page = readPage({ url, headers, bytes: new Uint8Array(await response.arrayBuffer()) }, reading)
    if (response.status === 200 && page.followable)
      waiting.push(...page.links.filter(({ rel }) => !rel.includes('nofollow')).map((link) => link.url))
  }
  return statuses
}

async function robotsOf(origin: string): Promise<RobotsRules | undefined> {
  const response = await request(`${origin}/robots.txt`)
  const text = await response.text()
  return response.ok ? parseRobots(text).rulesFor(['orbweaver']) : undefined
}

describe('the demo web', () => {
  it('lists exactly the URLs that a polite crawler finds', async () => {
    const found = await crawl(web)
    const sorted = [...found]
      .map(([url, status]) => ({ url, status }))
      .sort((a, b) => (a.url < b.url ? -1 : 1))
    expect(sorted).toEqual(web.expected)
  })

  it('has 60 to 100 pages on six hosts', () => {
    expect(web.hosts).toHaveLength(6)
    expect(new Set(web.hosts).size).toBe(6)
    expect(web.pages.length).toBeGreaterThanOrEqual(60)
    expect(web.pages.length).toBeLessThanOrEqual(100)
  })

  it('has every kind of response', () => {
    const statuses = new Set(web.expected.map(({ status }) => status))
    expect([...statuses].sort()).toEqual([200, 301, 302, 307, 308, 404, 410, 500, 503])
  })

  it.each<['orb' | 'bakery' | 'courier' | 'manual' | 'home', string]>([
    ['orb', '/about-names'],
    ['bakery', '/fr/'],
    ['courier', '/dossier/flood-of-2015'],
    ['manual', '/changes.txt'],
    ['home', '/%E4%B8%AD%E6%96%87/%E8%8C%B6'],
  ])('has %s%s among its pages', (site, path) => {
    expect(web.pages).toContain(web.url(site, path))
  })

  it.each<['bakery' | 'courier' | 'manual' | 'photos', string]>([
    ['bakery', '/basket/add?item=walnut'],
    ['bakery', '/account'],
    ['bakery', '/staff'],
    ['courier', '/letters/reprint'],
    ['courier', '/calendar/2299-01'],
    ['manual', '/drafts/velvet'],
    ['photos', '/originals/swift-hour'],
  ])('does not expect polite crawlers to request %s%s', (site, path) => {
    expect(web.expected.map(({ url }) => url)).not.toContain(web.url(site, path))
  })

  it('responds with 304 to a conditional request for an unchanged page, and with the page otherwise', async () => {
    const url = web.url('orb', '/webs/orb-web')
    const first = await request(url)
    const etag = first.headers.get('etag') ?? ''
    const date = first.headers.get('last-modified') ?? ''
    expect((await request(url, { 'If-None-Match': etag })).status).toBe(304)
    expect((await request(url, { 'If-Modified-Since': date })).status).toBe(304)
    expect((await request(url, { 'If-None-Match': '"other"', 'If-Modified-Since': date })).status).toBe(200)
    expect((await request(url, { 'If-Modified-Since': 'Thu, 01 Jan 1970 00:00:00 GMT' })).status).toBe(200)
  })

  it('has one page that always differs and has no validators', async () => {
    const url = web.url('home', '/counter')
    const [one, two] = [await request(url), await request(url)]
    expect(one.headers.get('etag')).toBeNull()
    expect(await one.text()).not.toBe(await two.text())
  })

  it('responds with 503 once', async () => {
    const fresh = await startDemoWeb()
    const url = fresh.url('courier', '/2012/popular')
    const busy = await request(url)
    expect([busy.status, busy.headers.get('retry-after')]).toEqual([503, '1'])
    expect((await request(url)).status).toBe(200)
    await fresh.close()
  })

  it('has the same page under two URLs, byte for byte', async () => {
    const texts = await Promise.all(
      ['/', '/welcome.html'].map(async (path) => (await request(web.url('home', path))).text()),
    )
    expect(texts[0]).toBe(texts[1])
  })

  it('compresses if the client accepts gzip', async () => {
    // Not fetch, which always decompresses.
    const bodyOf = async (headers: Record<string, string>) => {
      const [response] = (await once(get(web.url('orb', '/'), { headers }), 'response')) as [IncomingMessage]
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk as Buffer)
      return { coding: response.headers['content-encoding'], bytes: Buffer.concat(chunks) }
    }
    const plain = await bodyOf({})
    const zipped = await bodyOf({ 'Accept-Encoding': 'gzip, br' })
    expect([plain.coding, zipped.coding]).toEqual([undefined, 'gzip'])
    expect(gunzipSync(zipped.bytes)).toEqual(plain.bytes)
    expect(zipped.bytes.length).toBeLessThan(plain.bytes.length)
  })

  it('has readable titles, descriptions and languages', async () => {
    const { reading } = buildRules(completeConfig({}, 'test'), { clock: wallClock })
    const read = async (site: 'bakery' | 'home', path: string) => {
      const url = web.url(site, path)
      const response = await request(url)
      return readPage({ url, headers: [...response.headers], bytes: await response.bytes() }, reading)
    }
    expect(await read('bakery', '/fr/pain-d-epices')).toMatchObject({
      title: "Pain d'épices – Crumb & Crust, bakers",
      language: 'fr',
      charset: 'windows-1252',
      text: expect.stringContaining('Même très sec, il fond dans le thé.'),
    })
    expect(await read('bakery', '/products/walnut?from=courier')).toMatchObject({
      canonical: { url: web.url('bakery', '/products/walnut') },
      description: expect.stringContaining('€ 4.90'),
    })
    expect(await read('home', '/%E4%B8%AD%E6%96%87/%E8%8C%B6')).toMatchObject({
      language: 'zh',
      text: expect.stringContaining('茶要慢慢喝'),
    })
  })

  it('records requests', async () => {
    const before = web.hits.length
    await request(web.url('photos', '/about'), { 'User-Agent': 'test-bot', 'If-None-Match': '"x"' })
    expect(web.hits.slice(before)).toEqual([
      {
        at: expect.any(Number),
        url: web.url('photos', '/about'),
        method: 'GET',
        status: 200,
        userAgent: 'test-bot',
        conditional: true,
      },
    ])
  })

  it('can use one address and several ports', async () => {
    const small = await startDemoWeb({ addresses: ['127.0.0.1'] })
    expect(new Set(small.hosts.map((host) => new URL(host).hostname))).toEqual(new Set(['127.0.0.1']))
    expect(new Set(small.hosts).size).toBe(6)
    expect((await request(small.url('photos', '/'))).status).toBe(200)
    expect(small.pages).toHaveLength(web.pages.length)
    await small.close()
  })

  it('rejects a port that is in use', async () => {
    const port = Number(new URL(web.hosts[0] ?? '').port)
    await expect(startDemoWeb({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
  })

  it('stops listening when it is closed', async () => {
    const closed = await startDemoWeb()
    const [seed = ''] = closed.seeds
    await closed.close()
    await expect(request(seed)).rejects.toThrow()
  })
})
