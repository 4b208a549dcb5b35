import type { Facet, FoundPages } from '../../../src/adapters/serve/responses.ts'
import { formatNumber, languageName, typeName } from '../parts/format.ts'
import { PlaceLink } from '../parts/links.tsx'
import { type FilterName, type SearchState, searchPlace } from './search-state.ts'

interface FacetsProps {
  readonly state: SearchState
  readonly facets: FoundPages['facets']
}

export function Facets({ state, facets }: FacetsProps) {
  const chosen = [state.site, state.type, state.lang].filter((value) => value !== '').length
  return (
    // Initially closed on narrow screens; the style sheet keeps it open on wide ones.
    <details class="facets" open={matchMedia('(min-width: 62rem)').matches}>
      <summary>Filters{chosen > 0 && ` (${chosen})`}</summary>
      <FacetGroup title="Site" name="site" state={state} facets={facets.host} text={(value) => value} />
      <FacetGroup title="Type" name="type" state={state} facets={facets.type} text={typeName} />
      <FacetGroup title="Language" name="lang" state={state} facets={facets.lang} text={languageName} />
    </details>
  )
}

interface FacetGroupProps {
  readonly title: string
  readonly name: FilterName
  readonly state: SearchState
  readonly facets: readonly Facet[]
  text(value: string): string
}

export function FacetGroup({ title, name, state, facets, text }: FacetGroupProps) {
  const chosen = state[name]
  // An active filter can always be removed, even if it has no results.
  const isListed = facets.some(({ value }) => value === chosen)
  const visible = chosen === '' || isListed ? facets : [{ value: chosen, count: 0 }, ...facets]
  if (visible.length === 0) return null
  return (
    <section class="facet-group">
      <h2>{title}</h2>
      <ul>
        {visible.map((facet) => (
          <li key={facet.value}>
            <PlaceLink
              to={searchPlace({
                ...state,
                [name]: facet.value === chosen ? '' : facet.value,
                page: 1,
                preview: '',
              })}
              class={facet.value === chosen ? 'facet chosen' : 'facet'}
              label={`${text(facet.value)}, ${facet.count}${facet.value === chosen ? ', active: remove' : ''}`}
            >
              <span class="facet-name">{text(facet.value)}</span>
              <span class="facet-count">{facet.value === chosen ? '×' : formatNumber(facet.count)}</span>
            </PlaceLink>
          </li>
        ))}
      </ul>
    </section>
  )
}
