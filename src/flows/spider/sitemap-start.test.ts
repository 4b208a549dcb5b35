import { describe, expect, it } from 'vitest'
import { type LabWeb, linksTo, SpiderLab } from '../../../testing/spider-lab.ts'
import type { SitemapStart } from './sitemap-start.ts'

const MAP = 'http://a.test/sitemap.xml'
const HEAD = '<?xml version="1.0"?>'

function urlset(...entries: ReadonlyArray<string | readonly [path: string, changed: string]>): string {
  const urls = entries.map((entry) => {
    const [path, changed] = typeof entry === 'string' ? [entry] : entry
    return `<url><loc>http://a.test${path}</loc>${changed === undefined ? '' : `<lastmod>${changed}</lastmod>`}</url>`
  })
  return `${HEAD}<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join('')}</urlset>`
}

function index(...paths: readonly string[]): string {
  const maps = paths.map((path) => `<sitemap><loc>http://a.test${path}</loc></sitemap>`)
  return `${HEAD}<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${maps.join('')}</sitemapindex>`
}

/** The paths of the pages that handlers got, by handler. */
async function crawl(web: LabWeb, sitemap: Omit<SitemapStart<string>, 'urls'> & { urls?: string[] } = {}) {
  const lab = new SpiderLab(web)
  const got: Record<string, string[]> = {}
  const note = (name: string) => (page: { url: string; depth: number }) => {
    got[name] = [...(got[name] ?? []), new URL(page.url).pathname]
    expect(page.depth).toBe(0)
  }
  await lab.run({
    sitemap: { urls: [MAP], ...sitemap },
    handleStatuses: 'all',
    parse: note('parse'),
    handlers: { item: note('item') },
    limits: { depth: 0 },
  })
  return { got, lab }
}

describe('a sitemap', () => {
  it('has its pages handled as start pages are, whatever the limit of depth', async () => {
    const { got, lab } = await crawl({ [MAP]: urlset('/1', '/2', '/1') })
    expect(got).toEqual({ parse: ['/1', '/2'] })
    expect(lab.web.requests.find(({ url }) => url === MAP)?.maxBodyBytes).toBe(50 * 1024 * 1024)
    expect(lab.stats.failed).toEqual({})
  })

  it('has entries that are not URLs counted as skipped', async () => {
    const entries = '<url><loc>www.a.test/1</loc></url><url><loc>&amp;home;</loc></url>'
    const { got, lab } = await crawl({ [MAP]: urlset('/1').replace('</urlset>', `${entries}</urlset>`) })
    expect(got).toEqual({ parse: ['/1'] })
    expect(lab.stats.skipped).toEqual({ sitemap: 2 })
  })

  it('may be an index of others, in part', async () => {
    const web = {
      [MAP]: index('/pages.xml', '/images.xml', '/more/index.xml'),
      'http://a.test/pages.xml': urlset('/1'),
      'http://a.test/images.xml': urlset('/image'),
      'http://a.test/more/index.xml': index('/more/pages.xml'),
      'http://a.test/more/pages.xml': urlset('/2'),
    }
    expect((await crawl(web)).got['parse']?.sort()).toEqual(['/1', '/2', '/image'])
    expect((await crawl(web, { follow: /pages|index/g })).got['parse']?.sort()).toEqual(['/1', '/2'])
  })

  it('may be named by robots.txt', async () => {
    const web = {
      'http://a.test/robots.txt': `User-agent: *\nDisallow: /no\nSitemap: ${MAP}\nSitemap: /other.xml`,
      [MAP]: urlset('/1', '/no'),
      'http://a.test/other.xml': urlset('/2'),
    }
    const { got, lab } = await crawl(web, { urls: ['http://a.test/robots.txt'] })
    expect(got['parse']).toContain('/1')
    expect(got['parse']).not.toContain('/no')
    expect(lab.stats.skipped).toMatchObject({ 'robots.txt': 1 })
  })

  it('gives each page to the first rule that it matches, and leaves out what matches none', async () => {
    const web = { [MAP]: urlset('/item/1', '/item/2', '/item/3', '/page/1', '/other') }
    const rules = [{ match: /\/item\//g, handler: 'item' }, { match: /item|page/ }]
    expect((await crawl(web, { rules })).got).toEqual({
      item: ['/item/1', '/item/2', '/item/3'],
      parse: ['/page/1'],
    })
  })

  it('leaves out what has not changed since, and keeps what does not say', async () => {
    const web = { [MAP]: urlset(['/old', '2020-01-01'], ['/new', '2026-05-01'], '/silent') }
    const changedSince = new Date('2026-01-01')
    expect((await crawl(web, { changedSince })).got).toEqual({ parse: ['/new', '/silent'] })
    expect((await crawl(web, { changedSince: changedSince.getTime() })).got).toEqual({
      parse: ['/new', '/silent'],
    })
  })

  it('is followed five indexes deep, and no deeper', async () => {
    const web = Object.fromEntries(
      Array.from({ length: 9 }, (_, n) => [`http://a.test/${n}.xml`, index(`/${n + 1}.xml`)]),
    )
    const { lab } = await crawl(web, { urls: ['http://a.test/0.xml'] })
    expect(lab.requested).toEqual([0, 1, 2, 3, 4].map((n) => `http://a.test/${n}.xml`))
  })

  it('that lists itself is read once', async () => {
    const { lab } = await crawl({ [MAP]: index('/sitemap.xml') })
    expect(lab.requested).toEqual([MAP])
  })

  it('that is none brings nothing, and no error', async () => {
    const { got, lab } = await crawl({ [MAP]: linksTo('/1') })
    expect(got).toEqual({})
    expect(lab.stats).toMatchObject({ pages: 0, failed: {} })
  })
})
