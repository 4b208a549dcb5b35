import type { TextPart } from '../adapters/sqlite-index/make-snippet.ts'
import type { SearchResult } from '../adapters/sqlite-index/search-index.ts'
import { formatCount, formatNumber, formatTime, printableLine } from '../base/format-values.ts'

/** The hits of a search. @param isScreen whether matches can be highlighted */
export function resultText(result: SearchResult, offset: number, isScreen: boolean): string {
  const { hits, total, exact, relaxed, suggestion, corrected, siteLinks = [] } = result
  const entries = hits.map(
    ({ titleParts, title, url, snippet, tstamp, date, type, lang, similar = [] }, i) => {
      const dated = date === undefined ? undefined : `dated ${formatTime(date).slice(0, 10)}`
      const facts = [type, lang, dated, `fetched ${formatTime(tstamp)}`].filter((fact) => fact !== undefined)
      const links = i === 0 ? siteLinks.map(({ url: link }) => `   more: ${printableLine(link, 500)}`) : []
      return [
        `${offset + i + 1}. ${title === '' ? '(no title)' : marked(titleParts, isScreen)}`,
        `   ${printableLine(url, 500)}`,
        ...(snippet.length > 0 ? [`   ${marked(snippet, isScreen)}`] : []),
        `   ${printableLine(facts.join(', '))}`,
        ...similar.map(({ url: link }) => `   similar: ${printableLine(link, 500)}`),
        ...links,
      ].join('\n')
    },
  )
  const found = `${exact ? formatCount(total, 'page') : `more than ${formatNumber(total)} pages`}`
  const range = hits.length < total ? `, ${offset + 1} to ${offset + hits.length} shown` : ''
  return [
    ...(suggestion === undefined ? [] : [didYouMean(suggestion)]),
    ...(corrected === undefined
      ? []
      : [`No page has all of the words as they were typed. Results for: ${printableLine(corrected)}`]),
    ...(relaxed ? ['no page has all of these words; these have some of them'] : []),
    ...(hits.length === 0
      ? [`there are no more than ${found}`]
      : [`${found}${range}`, '', entries.join('\n\n')]),
    '',
  ].join('\n')
}

/** The line that suggests another query. */
export function didYouMean(suggestion: string): string {
  return `Did you mean: ${printableLine(suggestion)}`
}

/** Bold, on a screen; each part is made harmless by itself, so that nothing of a page can begin or end it. */
function marked(parts: readonly TextPart[], isScreen: boolean): string {
  return parts
    .map(({ text, marked: isMarked }) => {
      const [, before = '', after = ''] = /^(\s*).*?(\s*)$/s.exec(text) ?? []
      const safe = printableLine(text, 400)
      const word = isMarked && isScreen ? `\u001b[1m${safe}\u001b[22m` : safe
      return `${before === '' ? '' : ' '}${word}${after === '' || safe === '' ? '' : ' '}`
    })
    .join('')
}
