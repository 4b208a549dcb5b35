/**
 * Takes screenshots of the live page with made-up crawls: `npm run build && node scripts/make-live-images.ts <folder>`. They are for looking at, in all
 * sizes and colours. The first one is the picture of the documentation; `--docs` writes it to docs/images/live.png.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { listen } from '../src/adapters/serve/listen.ts'
import { createServeApp, readWebFiles } from '../src/adapters/serve/serve-app.ts'
import { wallClock } from '../src/base/clock.ts'
import type { LiveCrawl } from '../src/domain/live/live-crawl.ts'
import type { LiveSeries } from '../src/domain/live/live-report.ts'
import { FakeLiveCrawl, type FakeLiveCrawlOptions } from '../testing/fake-live-crawl.ts'

const root = join(import.meta.dirname, '..')
const [target = 'live-images', ...only] = process.argv.slice(2)
const isForDocs = target === '--docs'
const folder = isForDocs ? join(root, 'docs/images') : target
mkdirSync(folder, { recursive: true })

const CRAWLS: Readonly<Record<string, FakeLiveCrawlOptions>> = {
  'hosts-50': { hosts: 50, ageSeconds: 4_000 },
  'hosts-1': { hosts: 1 },
  'hosts-5000': { hosts: 5_000, ageSeconds: 40_000 },
  spider: { kind: 'spider', hosts: 12 },
  fleet: { kind: 'fleet', hosts: 200, workers: 5 },
  hostile: { kind: 'spider', hosts: 3, hostile: true },
}

const WORDS =
  'docs wiki www blog news shop forum library archive data media lists help games maps music books'.split(' ')

/** `docs.example.org`, instead of the numbered hosts of the made-up crawl. */
function named<T>(value: T): T {
  const text = JSON.stringify(value).replaceAll(/site-(\d+)\.example\.org/g, (_, digits: string) => {
    const number = Number(digits)
    const name = `${WORDS[number % WORDS.length]}.example.${['org', 'com', 'net'][Math.floor(number / WORDS.length) % 3]}`
    return number < WORDS.length * 3 ? name : `${number}.${name}`
  })
  return JSON.parse(text) as T
}

/** Real rates are not as even as those of the made-up crawl. */
function uneven({ points }: LiveSeries): LiveSeries {
  let level = 1
  let seed = 7
  return {
    points: points.map((point) => {
      seed = (seed * 16_807) % 2_147_483_647
      level = Math.min(1.6, Math.max(0.5, level + (seed / 2_147_483_647 - 0.5) * 0.22))
      return {
        ...point,
        pages: point.pages * level,
        bytes: point.bytes * level ** 1.5,
        items: point.items * level,
      }
    }),
  }
}

/** A crawl alone, as `serve` shows it, with the files that link to host pages. */
async function serveOne(id: string, options: FakeLiveCrawlOptions) {
  const crawl = new FakeLiveCrawl(wallClock, options)
  const live: LiveCrawl = {
    report: async () => named(await crawl.report()),
    series: async () => uneven(await crawl.series()),
    hosts: async (query) => named(await crawl.hosts(query)),
    act: (action) => crawl.act(action),
  }
  const app = createServeApp({
    crawls: [{ id, name: id === 'spider' ? 'books' : 'my-crawl', live: { find: async () => live } }],
    clock: wallClock,
    files: await readWebFiles(join(root, 'dist/web')),
    host: '127.0.0.1',
  })
  return listen(app, { host: '127.0.0.1', port: 0 })
}

const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
try {
  for (const [id, options] of Object.entries(CRAWLS)) {
    if (isForDocs ? id !== 'hosts-50' : only.length > 0 && !only.includes(id)) continue
    const server = await serveOne(id, options)
    for (const width of isForDocs ? [1_280] : [1_280, 390])
      for (const colorScheme of isForDocs ? (['light'] as const) : (['light', 'dark'] as const)) {
        const page = await browser.newPage({
          viewport: { width, height: isForDocs ? 1_052 : 800 },
          colorScheme,
        })
        await page.goto(`${server.url}live${id === 'hosts-5000' ? '?range=run' : ''}`)
        await page.locator('.tile-value').first().waitFor()
        await page.locator('.cards tbody tr').first().waitFor()
        await page.locator('.area-chart .line').first().waitFor({ state: 'attached' })
        const path = join(folder, isForDocs ? 'live.png' : `${id}-${width}-${colorScheme}.png`)
        await page.screenshot({ path, fullPage: !isForDocs })
        await page.close()
      }
    await server.close()
  }
} finally {
  await browser.close()
}
