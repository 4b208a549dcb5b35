/** A spider of ours: three fields by css() from every page, its links followed, items to a JSONL file, the crawl kept in a directory. */
import { runSpider, spider } from '../../dist/spider.js'

const [start, inFlight, perHost] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])]
const links = spider({
  name: 'links',
  start,
  allow: '*',
  settings: {
    agent: { email: 'bench@example.org' },
    politeness: { delaySeconds: 0, minDelaySeconds: 0, threads: inFlight, threadsPerHost: perHost },
    http: { allowPrivateHosts: process.env['BENCH_HOSTS'].split(',') },
  },
  *parse(page) {
    yield page.item({ url: page.url, title: page.text('h1.title'), texts: page.css('p.text').length })
    yield* page.followAll('a')
  },
})
const { stats } = await runSpider(links, { dir: 'crawl', out: 'items.jsonl' })
console.log(JSON.stringify({ pages: stats.pages }))
