import type { Facet } from '../../../src/adapters/serve/answers.ts'
import { PlaceLink } from '../parts/place-link.tsx'
import { count } from '../parts/shown.ts'
import { type FilterName, type SearchState, searchPlace } from './search-state.ts'

interface FacetGroupProps {
  readonly title: string
  readonly name: FilterName
  readonly state: SearchState
  readonly facets: readonly Facet[]
  text(value: string): string
}

export function FacetGroup({ title, name, state, facets, text }: FacetGroupProps) {
  const chosen = state[name]
  // One that is set can always be taken away, also when nothing is found with it.
  const isListed = facets.some(({ value }) => value === chosen)
  const shown = chosen === '' || isListed ? facets : [{ value: chosen, count: 0 }, ...facets]
  if (shown.length === 0) return null
  return (
    <section class="facet-group">
      <h2>{title}</h2>
      <ul>
        {shown.map((facet) => (
          <li key={facet.value}>
            <PlaceLink
              to={searchPlace({
                ...state,
                [name]: facet.value === chosen ? '' : facet.value,
                page: 1,
                preview: '',
              })}
              class={facet.value === chosen ? 'facet chosen' : 'facet'}
              label={`${text(facet.value)}, ${facet.count}${facet.value === chosen ? ', chosen: remove' : ''}`}
            >
              <span class="facet-name">{text(facet.value)}</span>
              <span class="facet-count">{facet.value === chosen ? '×' : count(facet.count)}</span>
            </PlaceLink>
          </li>
        ))}
      </ul>
    </section>
  )
}
