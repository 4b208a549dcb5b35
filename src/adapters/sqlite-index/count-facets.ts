import type { CandidatePage } from './find-candidates.ts'

export interface FacetCount {
  readonly value: string
  readonly count: number
}

/** How many pages there are of each host, type and language, the most frequent ones. */
export type Facets = Readonly<Record<'host' | 'type' | 'lang', readonly FacetCount[]>>

export function countFacets(pages: readonly CandidatePage[]): Facets {
  return {
    host: countsOf(pages, ({ host }) => host),
    type: countsOf(pages, ({ type }) => type),
    lang: countsOf(pages, ({ lang }) => lang),
  }
}

const MAX_FACETS = 20

function countsOf(
  pages: readonly CandidatePage[],
  facetOf: (page: CandidatePage) => string | null,
): FacetCount[] {
  const counts = new Map<string, number>()
  for (const page of pages) {
    const value = facetOf(page)
    if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1)
  }
  return Array.from(counts, ([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
    .slice(0, MAX_FACETS)
}
