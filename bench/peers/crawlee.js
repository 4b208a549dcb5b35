/**
 * Crawlee's CheerioCrawler with its own link extraction, robots.txt obeyed. For speed: storage in memory, no sessions and cookies, and as many requests at once from the
 * start as the others have. `node crawlee.js <start URL> <in flight> <per host> <scope> [<maximum number of pages>]`; it has no limit per host.
 */
import { CheerioCrawler, Configuration, log } from '@crawlee/cheerio'

const [start, inFlight, , scope, maxPages] = process.argv.slice(2)
log.setLevel(log.LEVELS.OFF)
const pages = new Set()
const crawler = new CheerioCrawler(
  {
    minConcurrency: Number(inFlight),
    maxConcurrency: Number(inFlight),
    respectRobotsTxtFile: true,
    ...(maxPages !== undefined && { maxRequestsPerCrawl: Number(maxPages) }),
    useSessionPool: false,
    persistCookiesPerSession: false,
    async requestHandler({ request, response, enqueueLinks }) {
      // It hands over what a server sends along with "not found", too.
      if (response.statusCode !== 200) return
      pages.add(request.loadedUrl.replace(/#.*/, ''))
      await enqueueLinks({ strategy: scope === 'host' ? 'same-hostname' : 'all' })
    },
  },
  new Configuration({ persistStorage: false }),
)
await crawler.run([start])
console.log(JSON.stringify({ pages: pages.size }))
// Its timers would keep the process alive.
process.exit(0)
