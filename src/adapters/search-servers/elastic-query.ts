import type { SearchPhrase, SearchQuery } from '../../domain/search/search-query.ts'
import { FIELD_WEIGHTS, isPrefix, labelPatterns, phraseText } from './server-query.ts'

/** A query in the language of Elasticsearch and OpenSearch. */
export function elasticQuery(query: SearchQuery): object {
  switch (query.kind) {
    case 'and': {
      const isFilter = ({ kind }: SearchQuery) => kind === 'label' || kind === 'dates'
      const { filters = [], musts = [] } = Object.groupBy(query.parts, (part) =>
        isFilter(part) ? 'filters' : 'musts',
      )
      return { bool: { must: musts.map(elasticQuery), filter: filters.map(elasticQuery) } }
    }
    case 'or':
      return { bool: { should: query.parts.map(elasticQuery), minimum_should_match: 1 } }
    case 'not':
      return { bool: { must_not: [elasticQuery(query.part)] } }
    case 'label': {
      const should = labelPatterns(query.field, query.value).map(([field, pattern]) =>
        pattern.includes('*')
          ? { wildcard: { [field]: { value: pattern } } }
          : { term: { [field]: pattern } },
      )
      return { bool: { should, minimum_should_match: 1 } }
    }
    case 'dates': {
      const instant = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString())
      return { range: { date: { gte: instant(query.from), lt: instant(query.before) } } }
    }
    case 'phrase':
      return phraseQuery(query)
  }
}

function phraseQuery(phrase: SearchPhrase): object {
  const type = isPrefix(phrase) ? 'phrase_prefix' : 'phrase'
  return { multi_match: { query: phraseText(phrase), type, fields: FIELDS[phrase.scope] } }
}

const FIELDS = {
  any: Object.entries(FIELD_WEIGHTS).map(
    ([field, weight]) => `${field === 'url' ? 'url.words' : field}^${weight}`,
  ),
  title: ['title'],
  url: ['url.words'],
} as const
