import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CRAWL_METRICS } from '../src/adapters/metrics/crawl-metrics.ts'
import { ProcessMetrics } from '../src/adapters/metrics/process-metrics.ts'
import { scrapeCrawls } from '../src/adapters/metrics/scrape-crawls.ts'
import { wallClock } from '../src/base/clock.ts'
import { dashboardQueries, readDashboard } from '../testing/dashboard.ts'
import { FakeLiveCrawl } from '../testing/fake-live-crawl.ts'
import { metricRows } from '../testing/metrics-table.ts'
import { PROMTOOL, requirePrometheus } from '../testing/require-prometheus.ts'
import { codeBlocks } from './docs-examples.ts'

/** The files of deploy/, and docs/metrics.md. test/metrics.test.ts uses them with a running Prometheus. */

const ROOT = join(import.meta.dirname, '..')
const PROMETHEUS_FILES = join(ROOT, 'deploy/prometheus')
const DOC = readFileSync(join(ROOT, 'docs/metrics.md'), 'utf8')

function promtool(args: readonly string[], input = ''): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(PROMTOOL, args, {
    ...{ cwd: PROMETHEUS_FILES, input, encoding: 'utf8' },
  })
  return { status, output: status === 0 ? '' : stdout + stderr }
}

describe.runIf(requirePrometheus())('promtool', () => {
  const accepted = { status: 0, output: '' }

  it('accepts the alert rules and the sample configuration', () => {
    expect(promtool(['check', 'rules', 'alerts.yml'])).toEqual(accepted)
    expect(promtool(['check', 'config', 'prometheus.yml'])).toEqual(accepted)
  })

  it('passes the tests of the alert rules', () => {
    expect(promtool(['test', 'rules', 'alerts.test.yml'])).toEqual(accepted)
  })

  it('finds nothing to improve in the metrics of all kinds of crawls', async () => {
    const kinds = ['cycle', 'spider', 'fleet'] as const
    const targets = kinds.map((kind) => {
      const live = new FakeLiveCrawl(wallClock, { kind, hostile: true })
      return { name: kind, live: { find: async () => live } }
    })
    const processMetrics = new ProcessMetrics()
    const text = await scrapeCrawls(targets, processMetrics.families())
    processMetrics.close()
    expect(promtool(['check', 'metrics'], text)).toEqual(accepted)
  })

  it('accepts the configuration in the docs', () => {
    const folder = mkdtempSync(join(tmpdir(), 'orbweaver-promtool-'))
    const blocks = codeBlocks(DOC).filter(({ language }) => language === 'yaml')
    for (const { code } of blocks) {
      writeFileSync(join(folder, 'prometheus.yml'), code)
      expect(promtool(['check', 'config', join(folder, 'prometheus.yml')])).toEqual(accepted)
    }
    rmSync(folder, { recursive: true })
    expect(blocks).toHaveLength(1)
  })
})

describe('each alert', () => {
  const namesIn = (file: string, pattern: RegExp) =>
    [...readFileSync(join(PROMETHEUS_FILES, file), 'utf8').matchAll(pattern)].map(([, name]) => name)
  const alerts = namesIn('alerts.yml', /- alert: (\w+)/g)

  it.each(alerts)('%s has a test and is explained in the docs', (name) => {
    expect(namesIn('alerts.test.yml', /alertname: (\w+)/g)).toContain(name)
    expect(DOC).toContain(`| \`${name}\``)
  })
})

describe('the Grafana dashboard', () => {
  const { panels, templating, uid } = readDashboard()
  const charts = panels.filter(({ type }) => type !== 'row')

  it('has panels with unique ids that do not overlap', () => {
    expect(uid).toBe('orbweaver')
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, i) => `${x + (i % w)} ${y + Math.floor(i / w)}`),
    )
    expect(new Set(cells).size).toBe(cells.length)
    for (const { gridPos } of panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24)
  })

  it.each(charts)('$title has a unit, a description and queries for the chosen data source', (panel) => {
    expect(panel.description).toMatch(/^[A-Z].*\.$/)
    expect(panel.fieldConfig?.defaults.unit).toBeTruthy()
    expect(panel.targets?.length).toBeGreaterThan(0)
    for (const { datasource } of [panel, ...(panel.targets ?? [])])
      expect(datasource?.uid).toBe('$' + '{datasource}')
    const letters = panel.targets?.map(({ refId }) => refId) ?? []
    expect(new Set(letters).size).toBe(letters.length)
  })

  it('has variables for the data source, the crawl and the instance', () => {
    expect(templating.list.map(({ name, type }) => `${name}: ${type}`)).toEqual([
      ...['datasource: datasource', 'crawl: query', 'instance: query'],
    ])
  })

  it('shows every metric of a crawl', () => {
    const queries = dashboardQueries()
      .map(({ expression }) => expression)
      .join('\n')
    const missing = CRAWL_METRICS.map(({ name }) => name).filter((name) => !queries.includes(name))
    expect(missing).toEqual(['orbweaver_crawl_info', 'orbweaver_start_time_seconds'])
  })
})

describe('docs/metrics.md', () => {
  const rows = DOC.split('\n')
    .filter((line) => /^\| `(orbweaver|process|nodejs)_/.test(line))
    .map((line) => line.replaceAll(/ +/g, ' '))

  it('has a row for each metric, with its type, labels and help, and no others', () => {
    const expected = metricRows().map((row) => row.replaceAll(/ +/g, ' '))
    expect(rows.toSorted()).toEqual(expected.toSorted())
  })
})
