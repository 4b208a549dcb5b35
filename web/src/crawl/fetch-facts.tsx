import type { FetchHistory } from '../../../src/adapters/serve/responses.ts'
import { formatBytes, formatDuration, formatNumber } from '../parts/format.ts'

interface FetchFactsProps {
  readonly totals: FetchHistory['totals']
  /** Time from the first fetch to the last. */
  readonly spanMs?: number
}

export function FetchFacts({ totals, spanMs }: FetchFactsProps) {
  const { fetched, redirected, gone, failed, bytes, medianResponseMs, slowResponseMs } = totals
  const fetches = fetched + redirected + gone + failed
  return (
    <Facts
      facts={[
        ['fetches', formatNumber(fetches)],
        ['content', formatBytes(bytes)],
        ...(spanMs === undefined || spanMs < 1000
          ? []
          : [
              ['duration', formatDuration(spanMs)] as const,
              ['average rate', `${Number(((1000 * fetches) / spanMs).toPrecision(3))} per second`] as const,
            ]),
        ...(medianResponseMs === undefined || slowResponseMs === undefined
          ? []
          : [
              ['median response time', formatDuration(medianResponseMs)] as const,
              ['p95 response time', formatDuration(slowResponseMs)] as const,
            ]),
      ]}
    />
  )
}

interface FactsProps {
  readonly facts: ReadonlyArray<readonly [name: string, value: string]>
}

/** Figures in a row. */
export function Facts({ facts }: FactsProps) {
  return (
    <dl class="figures">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
