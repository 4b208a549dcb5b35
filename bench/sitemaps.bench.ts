/**
 * `crawl --sitemaps` on a site with millions of entries: an index of gzipped sitemaps with 50,000 entries each, as the protocol allows. All
 * entries are added to the CrawlDb, a fetch list is made, and a hundred of the pages are fetched. `SITEMAP_MILLIONS=1,10 npm run bench -- sitemaps`.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { buildDist } from './build-dist.ts'
import { chosenSizes } from './chosen-sizes.ts'
import { measureProcess } from './measure-process.ts'
import { ORBWEAVER } from './orbweaver-process.ts'

const ENTRIES = 50_000
const PAGES = 100
const MEMORY_MB = 512

export async function run(): Promise<void> {
  buildDist()
  for (const millions of chosenSizes('SITEMAP_MILLIONS', '1')) await measure(millions * 1e6)
}

async function measure(entries: number): Promise<void> {
  const files = Math.ceil(entries / ENTRIES)
  const server = createServer(({ url = '/' }, response) => {
    const { type, body } = resource(url, site, files)
    response.writeHead(200, { 'content-type': type }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    let added = 0
    const flags = ['--delay', '0', '--memory', String(MEMORY_MB), '--email', 'bench@example.org', '--json']
    const { pages, seconds, cpuSeconds, peakMegabytes } = await measureProcess({
      // The home page, the index and its files come first.
      command: [
        ...ORBWEAVER,
        'crawl',
        'crawl',
        `${site}/`,
        '--sitemaps',
        '--max-pages',
        String(files + 2 + PAGES),
        ...flags,
      ],
      pagesOf(output) {
        const result = JSON.parse(output) as { pages: number; added: number }
        added = result.added
        return result.pages
      },
    })
    // New are all URLs but the seed.
    const missing = files * ENTRIES + files + 1 - added
    console.log(
      `${files} sitemaps, ${files * ENTRIES} entries: ${pages} pages fetched, ${added} URLs added, ${missing} missing; ` +
        `${seconds.toFixed(0)} s, ${cpuSeconds.toFixed(0)} CPU-seconds, peak ${peakMegabytes.toFixed(0)} MB with --memory ${MEMORY_MB}`,
    )
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

function resource(path: string, site: string, files: number): { type: string; body: string | Buffer } {
  if (path === '/robots.txt') return { type: 'text/plain', body: `Sitemap: ${site}/index.xml\n` }
  if (path === '/index.xml') {
    const maps = Array.from({ length: files }, (_, i) => `<sitemap><loc>${site}/${i}.xml.gz</loc></sitemap>`)
    return { type: 'application/xml', body: `<sitemapindex>${maps.join('\n')}</sitemapindex>` }
  }
  const [, file] = /^\/(\d+)\.xml\.gz$/.exec(path) ?? []
  if (file === undefined) return { type: 'text/html', body: `<title>${path}</title><p>${path}` }
  return { type: 'application/gzip', body: gzipSync(urlset(Number(file), site), { level: 1 }) }
}

function urlset(file: number, site: string): string {
  const entries = Array.from({ length: ENTRIES }, (_, i) => {
    const n = file * ENTRIES + i
    const facts = `<lastmod>2026-11-${String(1 + (n % 16)).padStart(2, '0')}</lastmod><changefreq>weekly</changefreq><priority>0.${n % 10}</priority>`
    return `<url><loc>${site}/section-${n % 977}/article-${n}-about-something</loc>${facts}</url>`
  })
  return `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries.join('\n')}</urlset>`
}
