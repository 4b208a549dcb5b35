import type { FoundPages } from '../../../src/adapters/serve/answers.ts'
import { languageName, typeName } from '../parts/shown.ts'
import { FacetGroup } from './facet-group.tsx'
import type { SearchState } from './search-state.ts'

interface FacetsProps {
  readonly state: SearchState
  readonly facets: FoundPages['facets']
}

export function Facets({ state, facets }: FacetsProps) {
  const chosen = [state.site, state.type, state.lang].filter((value) => value !== '').length
  return (
    // Closed on narrow screens until it is wanted; the style sheet keeps it open on wide ones.
    <details class="facets" open={matchMedia('(min-width: 62rem)').matches}>
      <summary>Filters{chosen > 0 && ` (${chosen})`}</summary>
      <FacetGroup title="Site" name="site" state={state} facets={facets.host} text={(value) => value} />
      <FacetGroup title="Type" name="type" state={state} facets={facets.type} text={typeName} />
      <FacetGroup title="Language" name="lang" state={state} facets={facets.lang} text={languageName} />
    </details>
  )
}
