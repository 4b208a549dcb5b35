import type { TextPart } from '../adapters/sqlite-index/make-snippet.ts'
import type { SearchResult } from '../adapters/sqlite-index/search-index.ts'
import { formatCount, formatNumber, formatTime, printableLine } from '../base/format-values.ts'

/** The hits of a search. @param isScreen whether matches can be highlighted */
export function resultText(result: SearchResult, offset: number, isScreen: boolean): string {
  const { hits, total, exact, relaxed } = result
  const entries = hits.map(({ titleParts, title, url, snippet, tstamp, type, lang }, i) => {
    const facts = [type, lang, `fetched ${formatTime(tstamp)}`].filter((fact) => fact !== undefined)
    return [
      `${offset + i + 1}. ${title === '' ? '(no title)' : marked(titleParts, isScreen)}`,
      `   ${printableLine(url, 500)}`,
      ...(snippet.length > 0 ? [`   ${marked(snippet, isScreen)}`] : []),
      `   ${printableLine(facts.join(', '))}`,
    ].join('\n')
  })
  const found = `${exact ? formatCount(total, 'page') : `more than ${formatNumber(total)} pages`}`
  const range = hits.length < total ? `, ${offset + 1} to ${offset + hits.length} shown` : ''
  return [
    ...(relaxed ? ['no page has all of these words; these have some of them'] : []),
    ...(hits.length === 0
      ? [`there are no more than ${found}`]
      : [`${found}${range}`, '', entries.join('\n\n')]),
    '',
  ].join('\n')
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
