/** Crawlee's CheerioCrawler with its own link extraction, robots.txt obeyed and storage in memory. `node crawlee.js <start URL> <in flight> <per host>` */
import { CheerioCrawler, Configuration, log } from 'crawlee'

const [start, inFlight] = [process.argv[2], Number(process.argv[3])]
log.setLevel(log.LEVELS.ERROR)
const pages = new Set()
const crawler = new CheerioCrawler(
  {
    maxConcurrency: inFlight,
    minConcurrency: inFlight,
    respectRobotsTxtFile: true,
    maxRequestRetries: 0,
    async requestHandler({ request, enqueueLinks }) {
      pages.add(request.loadedUrl)
      await enqueueLinks({ strategy: 'all' })
    },
  },
  new Configuration({ persistStorage: false, purgeOnStart: true }),
)
await crawler.run([start])
console.log(JSON.stringify({ pages: pages.size }))
process.exit(0)
