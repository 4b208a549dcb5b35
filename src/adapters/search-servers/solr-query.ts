import type { SearchPhrase, SearchQuery } from '../../domain/search/search-query.ts'
import { FIELD_WEIGHTS, isPrefix, labelPatterns, phraseText } from './server-query.ts'

/** A query in the language of Solr's standard parser. */
export function solrQuery(query: SearchQuery): string {
  switch (query.kind) {
    case 'and':
      return `(${query.parts.map((part) => `+${solrQuery(part)}`).join(' ')})`
    case 'or':
      return `(${query.parts.map(solrQuery).join(' ')})`
    case 'not':
      // A condition that only excludes finds nothing by itself.
      return `(*:* -${solrQuery(query.part)})`
    case 'label': {
      const either = labelPatterns(query.field, query.value).map(
        ([field, pattern]) => `${field}:${escaped(pattern)}`,
      )
      return `(${either.join(' ')})`
    }
    case 'dates': {
      const instant = (ms: number | undefined) => (ms === undefined ? '*' : new Date(ms).toISOString())
      return `date:[${instant(query.from)} TO ${instant(query.before)}}`
    }
    case 'phrase':
      return phraseQuery(query)
  }
}

function phraseQuery(phrase: SearchPhrase): string {
  const fields = phrase.scope === 'any' ? Object.entries(FIELD_WEIGHTS) : [[phrase.scope, 1] as const]
  const either = fields.map(
    ([name, weight]) => `${inField(name === 'url' ? 'url_words' : name, phrase)}^${weight}`,
  )
  return `(${either.join(' ')})`
}

/** Words are letters and digits alone, so none is an operator once it is quoted or has a wildcard. */
function inField(field: string, phrase: SearchPhrase): string {
  const text = phraseText(phrase)
  if (!isPrefix(phrase)) return `${field}:"${text}"`
  const [before, last] = [
    text.slice(0, text.lastIndexOf(' ') + 1).trim(),
    text.slice(text.lastIndexOf(' ') + 1),
  ]
  const begins = `${field}:${last}*`
  return before === '' ? begins : `(+${field}:"${before}" +${begins})`
}

/** Everything but `*`. */
function escaped(pattern: string): string {
  return pattern.replaceAll(/[\\+\-!():^[\]"{}~?|&;/\s]/g, String.raw`\$&`)
}
