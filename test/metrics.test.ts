import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MetricsExporter } from '../src/adapters/metrics/metrics-exporter.ts'
import { wallClock } from '../src/base/clock.ts'
import { dashboardQueries } from '../testing/dashboard.ts'
import { FakeLiveCrawl } from '../testing/fake-live-crawl.ts'
import { type GatedSite, serveGatedSite } from '../testing/gated-site.ts'
import { freePort, type PrometheusServer, startPrometheus, until } from '../testing/prometheus-server.ts'
import { requirePrometheus } from '../testing/require-prometheus.ts'

/** Metrics of a running crawl and of a running spider, scraped every second by a real Prometheus. */

const ROOT = join(import.meta.dirname, '..')
const PAGES = 30
/** Time for several scrapes on a busy machine. */
const SCRAPES = { timeout: 30_000, interval: 500 }

describe.runIf(requirePrometheus())('Prometheus', () => {
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-metrics-'))
  let sites: GatedSite[] = []
  let commands: Command[] = []
  let fleet: MetricsExporter
  let prometheus: PrometheusServer

  beforeAll(async () => {
    sites = await Promise.all([serveGatedSite(PAGES), serveGatedSite(PAGES)])
    const [crawlPort, spiderPort] = [await freePort(), await freePort()]
    fleet = await MetricsExporter.listen('0')
    await fleet.started(new FakeLiveCrawl(wallClock, { kind: 'fleet', hosts: 5_000 }))
    const targets = [`127.0.0.1:${crawlPort}`, `127.0.0.1:${spiderPort}`, new URL(fleet.url).host]
    prometheus = await startPrometheus(targets, [join(ROOT, 'deploy/prometheus/alerts.yml')])
    const spider = join(folder, 'titles.ts')
    writeFileSync(spider, spiderOf(sites[1]?.url ?? ''))
    const common = ['--delay', '0.01', '--json', '--timeout', '300', '--config', writeConfig(folder)]
    commands = [
      orbweaver('crawl', join(folder, 'crawl'), sites[0]?.url ?? '', '--metrics', `${crawlPort}`, ...common),
      orbweaver('run', spider, '--metrics', `${spiderPort}`, ...common),
    ]
    for (const site of sites) site.allow(10)
    await until(async () => (await pagesOf()).every((pages) => pages === 10), '10 pages of each')
    for (const site of sites) site.allow(PAGES - 1)
    await until(async () => (await pagesOf()).every((pages) => pages === PAGES - 1), 'all pages but one')
    await until(
      async () =>
        (await prometheus.query('min(count_over_time(orbweaver_due_urls[1m])) > 2')).length === 1 &&
        (await prometheus.query(`count(orbweaver_due_urls) == ${targets.length}`)).length === 1,
      'due URLs of all',
    )
  }, 600_000)
  afterAll(async () => {
    for (const { child } of commands) child.kill('SIGKILL')
    await prometheus?.stop()
    await fleet?.ended()
    for (const site of sites) await site.close()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Pages of the crawl and of the spider. */
  async function pagesOf(): Promise<number[]> {
    const found = await prometheus.query(
      'orbweaver_pages_total and on (crawl) orbweaver_crawl_info{kind!="fleet"}',
    )
    return found.length === 2 ? found.map(({ value }) => value) : [-1]
  }

  it('scrapes all targets without errors', async () => {
    const { activeTargets } = (await prometheus.api('/api/v1/targets')) as {
      activeTargets: Array<{ health: string; lastError: string }>
    }
    expect(activeTargets.map(({ health, lastError }) => [health, lastError])).toEqual([
      ...[
        ['up', ''],
        ['up', ''],
        ['up', ''],
      ],
    ])
    expect(await prometheus.query('min_over_time(orbweaver_up[1m]) != 1')).toEqual([])
  })

  it('sees values grow from scrape to scrape', async () => {
    for (const name of ['pages_total', 'received_bytes_total', 'process_cpu_seconds_total']) {
      const grown = await prometheus.query(
        `max_over_time(orbweaver_${name}[2m]) > min_over_time(orbweaver_${name}[2m])`,
      )
      expect(grown.filter(({ metric }) => metric['crawl'] !== 'quotes')).toHaveLength(2)
    }
    expect(await prometheus.query('resets(orbweaver_requests_total[2m]) > 0')).toEqual([])
  })

  it('counts outcomes, items and response times of the crawl and of the spider', async () => {
    // The targets are scraped one after the other.
    const values = (expression: string) =>
      expect.poll(
        async () => new Set((await prometheus.query(expression)).map(({ value }) => value)),
        SCRAPES,
      )
    const live = 'and on (crawl) orbweaver_crawl_info{kind!="fleet"}'
    await values(`orbweaver_outcomes_total{outcome="success"} ${live}`).toEqual(new Set([PAGES - 1]))
    await values(`orbweaver_items_total ${live}`).toEqual(new Set([0, PAGES - 1]))
    await values(`orbweaver_requests_in_flight ${live}`).toEqual(new Set([1]))
    // The request that is in flight has no response time.
    await values(`orbweaver_response_time_seconds_count != orbweaver_requests_total - 1 ${live}`).toEqual(
      new Set(),
    )
  })

  it('gets a bounded number of series from a crawl with 5,000 hosts', async () => {
    const [samples] = await prometheus.query(`scrape_samples_scraped{instance="${new URL(fleet.url).host}"}`)
    expect(samples?.value).toBeGreaterThan(80)
    expect(samples?.value).toBeLessThan(200)
  })

  it.each(dashboardQueries())('has series for $title: $expression', async ({ expression }) => {
    expect(await prometheus.query(expression)).not.toEqual([])
  })

  it('evaluates all alert rules, whose metrics exist', async () => {
    const { groups } = (await prometheus.api('/api/v1/rules')) as {
      groups: Array<{ rules: Array<{ name: string; query: string; health: string; state: string }> }>
    }
    const rules = groups.flatMap((group) => group.rules)
    const known = new Set((await prometheus.api('/api/v1/label/__name__/values')) as string[])
    expect(rules.length).toBeGreaterThan(6)
    for (const { name, query, health } of rules) {
      expect([name, health]).toEqual([name, 'ok'])
      for (const [metric] of query.matchAll(/\b(orbweaver|process)_\w+/g)) expect(known).toContain(metric)
    }
  })

  it('agrees with the result of the commands', async () => {
    for (const site of sites) site.allow(PAGES)
    const [crawl, spider] = await Promise.all(commands.map(({ result }) => result))
    expect(crawl).toMatchObject({ pages: PAGES })
    expect(spider).toMatchObject({ stats: { pages: PAGES, items: PAGES } })
  })
})

interface Command {
  readonly child: ChildProcess
  /** The JSON document that it prints. */
  readonly result: Promise<unknown>
}

function orbweaver(...args: readonly string[]): Command {
  const child = spawn(process.execPath, [join(ROOT, 'testing/orbweaver-process.ts'), ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const result = Promise.all([text(child.stdout), once(child, 'close')]).then(
    ([out]) => JSON.parse(out) as unknown,
  )
  // A command that fails is reported by the test that waits for it.
  result.catch(() => {})
  return { child, result }
}

/** The site holds responses longer than the usual timeouts. */
function writeConfig(folder: string): string {
  const file = join(folder, 'orbweaver.config.json')
  writeFileSync(
    file,
    JSON.stringify({ http: { headersTimeoutSeconds: 300 }, agent: { email: 'test@example.org' } }),
  )
  return file
}

function spiderOf(site: string): string {
  const door = JSON.stringify(join(ROOT, 'src/index.ts'))
  return `import { spider } from ${door}
export default spider({
  name: 'titles',
  start: ${JSON.stringify(site)},
  *parse(page) {
    yield page.item({ title: page.text('title') })
    yield* page.followAll('a')
  },
})
`
}
