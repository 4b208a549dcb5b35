import { CRAWL_METRICS } from '../src/adapters/metrics/crawl-metrics.ts'
import type { MetricFamily } from '../src/adapters/metrics/metric-family.ts'
import { ProcessMetrics } from '../src/adapters/metrics/process-metrics.ts'
import { UP } from '../src/adapters/metrics/scrape-crawls.ts'

/** The rows of the tables in docs/metrics.md: name, type and labels, help. */
export function metricRows(): string[] {
  const processMetrics = new ProcessMetrics()
  const families = processMetrics.families()
  processMetrics.close()
  return [
    ...[{ ...UP, labels: [] }, ...CRAWL_METRICS].map(({ name, type, labels, help }) =>
      row(name, type, labels, help),
    ),
    ...families.map((family) => row(family.name, family.type, labelsOf(family), family.help)),
  ]
}

function row(name: string, type: string, labels: readonly string[], help: string): string {
  const named = labels.map((label) => `\`${label}\``).join(', ')
  return `| \`${name}\` | ${type} | ${named} | ${help} |`
}

function labelsOf({ name, samples }: MetricFamily): string[] {
  // There may have been no collection yet.
  if (name === 'nodejs_gc_duration_seconds') return ['kind']
  return Object.keys(samples[0]?.labels ?? {})
}
