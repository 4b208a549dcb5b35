import type { FoundPages } from '../../../src/adapters/serve/answers.ts'
import { Result } from './result.tsx'
import type { SearchState } from './search-state.ts'

interface ResultListProps {
  readonly state: SearchState
  readonly found: FoundPages
}

export function ResultList({ state, found: { offset, hits } }: ResultListProps) {
  return (
    <ol class="results" start={offset + 1} aria-label="Results">
      {hits.map((hit) => (
        <Result key={hit.id} hit={hit} state={state} />
      ))}
    </ol>
  )
}
