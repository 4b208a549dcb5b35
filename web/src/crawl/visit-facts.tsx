import type { VisitHistory } from '../../../src/adapters/serve/answers.ts'
import { Facts } from '../parts/facts.tsx'
import { byteCount, count, duration } from '../parts/shown.ts'

interface VisitFactsProps {
  readonly totals: VisitHistory['totals']
  /** Time from the first visit to the last. */
  readonly spanMs?: number
}

export function VisitFacts({ totals, spanMs }: VisitFactsProps) {
  const { fetched, redirected, gone, failed, bytes, medianResponseMs, slowResponseMs } = totals
  const visits = fetched + redirected + gone + failed
  return (
    <Facts
      facts={[
        ['visits', count(visits)],
        ['content', byteCount(bytes)],
        ...(spanMs === undefined || spanMs < 1000
          ? []
          : [
              ['in', duration(spanMs)] as const,
              ['on average', `${Number(((1000 * visits) / spanMs).toPrecision(3))}/s`] as const,
            ]),
        ...(medianResponseMs === undefined || slowResponseMs === undefined
          ? []
          : [
              ['half answered within', duration(medianResponseMs)] as const,
              ['95% within', duration(slowResponseMs)] as const,
            ]),
      ]}
    />
  )
}
