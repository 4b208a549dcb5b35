/** A spider of ours: three fields by css() from every page, its links followed, items to a JSONL file, the crawl kept in a directory. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crawl, spider } from '../../dist/spider.js'

const [start, inFlight, perHost] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])]
const hosts = (process.env['BENCH_HOSTS'] ?? '').split(',')
const links = spider({
  name: 'links',
  start,
  allow: '*',
  settings: {
    agent: { email: 'bench@example.org' },
    politeness: { delaySeconds: 0, minDelaySeconds: 0, threads: inFlight, threadsPerHost: perHost },
    http: { allowPrivateHosts: hosts },
  },
  *parse(page) {
    yield page.item({ url: page.url, title: page.text('h1.title'), texts: page.css('p.text').length })
    yield* page.followAll('a')
  },
})
const folder = mkdtempSync(join(tmpdir(), 'orbweaver-bench-spider-'))
const { stats } = await crawl(links, { dir: join(folder, 'crawl'), out: join(folder, 'items.jsonl') })
console.log(JSON.stringify({ pages: stats.pages }))
rmSync(folder, { recursive: true, force: true })
