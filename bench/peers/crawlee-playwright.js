/**
 * Crawlee's PlaywrightCrawler: follows links of the same host, and waits until the app has its text. For speed: storage in memory, no sessions. Images
 * and the like are blocked, as Orbweaver does. `node crawlee-playwright.js <start URL> <tabs> <executable>`
 */
import { Configuration, log, PlaywrightCrawler, playwrightUtils } from '@crawlee/playwright'

const [start, tabs, executablePath] = process.argv.slice(2)
log.setLevel(log.LEVELS.OFF)
let pages = 0
const crawler = new PlaywrightCrawler(
  {
    minConcurrency: Number(tabs),
    maxConcurrency: Number(tabs),
    useSessionPool: false,
    persistCookiesPerSession: false,
    browserPoolOptions: { useFingerprints: false },
    launchContext: { launchOptions: { executablePath, args: ['--no-sandbox'] } },
    preNavigationHooks: [async ({ page }) => playwrightUtils.blockRequests(page)],
    async requestHandler({ page, enqueueLinks }) {
      await page.waitForSelector('h1')
      pages++
      await enqueueLinks({ strategy: 'same-hostname' })
    },
  },
  new Configuration({ persistStorage: false }),
)
await crawler.run([start])
console.log(JSON.stringify({ pages }))
process.exit(0)
