import type { HostFigures } from '../../../src/adapters/serve/answers.ts'
import type { BarPart } from '../charts/stacked-bar.tsx'

export function hostParts({ fetched, redirected, gone, unfetched }: HostFigures): BarPart[] {
  return [
    { kind: 'good', label: 'fetched', count: fetched },
    { kind: 'moved', label: 'redirected', count: redirected },
    { kind: 'gone', label: 'gone', count: gone },
    { kind: 'waiting', label: 'not fetched', count: unfetched },
  ]
}
