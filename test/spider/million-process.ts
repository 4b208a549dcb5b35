import { openCrawlDirectory } from '../../src/adapters/duckdb/open-crawl-directory.ts'
import { limitHeapGrowth } from '../../src/cli/limit-heap-growth.ts'
import { spider } from '../../src/wiring/define-spider.ts'
import { runSpider } from '../../src/wiring/run-spider.ts'
import { defaultRules } from '../../testing/rule-sets.ts'

// `fill <dir> <count>` queues this number of requests of a thousand hosts in a crawl directory.
// `crawl <dir>` crawls there for a few seconds, and prints the maximum memory use.
const HOSTS = 1_000
const BATCH = 10_000
const [step, dir = '', count = '0'] = process.argv.slice(2)
if (step === 'fill') await fill(Number(count))
else process.stdout.write(JSON.stringify(await measuredCrawl()))

async function fill(requests: number): Promise<void> {
  const directory = await openCrawlDirectory(dir, { command: 'test', memoryMb: 512 })
  const frontier = directory.frontier({ rules: defaultRules })
  for (let first = 0; first < requests; first += BATCH)
    await frontier.add(Array.from({ length: BATCH }, (_, i) => link(first + i)))
  await frontier.add([], 'complete')
  await frontier.close()
  await directory.close()
}

/** Addresses without a server. */
function link(n: number) {
  const address = addressOf(n % HOSTS)
  const url = `http://${address}:65431/some/path/of/usual/length/${n}`
  return { url, handler: 'parse', depth: 1, from: `http://${address}:65431/` }
}

function addressOf(host: number): string {
  return `127.2.${Math.floor(host / 250)}.${1 + (host % 250)}`
}

async function measuredCrawl() {
  limitHeapGrowth()
  const idle = spider({ name: 'idle', start: [], parse: () => {} })
  // All modules are loaded, and a database was opened once.
  await runSpider(idle)
  globalThis.gc?.()
  const idleMb = usedMb()
  let mostMb = 0
  const timer = setInterval(() => {
    mostMb = Math.max(mostMb, usedMb())
  }, 10)
  const { pending, stats } = await runSpider(idle, {
    dir,
    maxTimeSeconds: 6,
    settings: { http: { allowPrivateHosts: Array.from({ length: HOSTS }, (_, host) => addressOf(host)) } },
  })
  clearInterval(timer)
  return {
    aboveIdleMb: mostMb - idleMb,
    waiting: pending.ready + pending.delayed,
    tried: stats.retries['network'] ?? 0,
  }
}

function usedMb(): number {
  return process.memoryUsage.rss() / 2 ** 20
}
