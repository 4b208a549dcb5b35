export type MetricType = 'counter' | 'gauge' | 'histogram' | 'summary'

/** What a metric is. Names and units follow the conventions of Prometheus: base units, and `_total` for counters. */
export interface MetricDescription {
  readonly name: string
  readonly type: MetricType
  /** One sentence. */
  readonly help: string
}

export interface Sample {
  readonly value: number
  /** @default none */
  readonly labels?: MetricLabels
  /** Of a histogram or summary, such as `_sum`. @default none */
  readonly suffix?: string
}

export type MetricLabels = Readonly<Record<string, string>>

export interface MetricFamily extends MetricDescription {
  readonly samples: readonly Sample[]
}

/** The content type of `formatMetrics`. */
export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** The text format of Prometheus, version 0.0.4. Metrics without samples are left out. */
export function formatMetrics(families: Iterable<MetricFamily>): string {
  let text = ''
  for (const { name, type, help, samples } of families) {
    if (samples.length === 0) continue
    text += `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n`
    for (const { suffix = '', labels = {}, value } of samples)
      text += `${name}${suffix}${formatLabels(labels)} ${formatValue(value)}\n`
  }
  return text
}

function formatLabels(labels: MetricLabels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

/** `Infinity` is `+Inf`; other numbers are written alike in JavaScript and in Go. */
export function formatValue(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf'
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value)
}

function escapeHelp(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
}

function escapeLabel(text: string): string {
  return escapeHelp(text.toWellFormed()).replaceAll('"', '\\"')
}
