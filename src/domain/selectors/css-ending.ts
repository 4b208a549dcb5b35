import { BadSelector } from './selector-errors.ts'

/** What a selector selects: the elements themselves, the texts in them (`::text`), or an attribute (`::attr(href)`). */
export type Wanted =
  | { readonly kind: 'elements' }
  | { readonly kind: 'texts' }
  | { readonly kind: 'attribute'; readonly name: string }

/** Selectors with the same ending. */
export interface SelectorPart {
  /** Without the ending. */
  readonly selector: string
  readonly wanted: Wanted
}

/**
 * Takes Scrapy's endings off a list of selectors: `h1::text, a::attr(href)` are two parts. Neighbours that want the
 * same stay together. Everything else is standard CSS, with `media|title` for an element that is written `media:title`.
 * @throws BadSelector for any other `::`
 */
export function splitEndings(selectors: string): readonly SelectorPart[] {
  const parts: Array<{ selector: string; wanted: Wanted }> = []
  for (const one of splitList(selectors)) {
    const ending = ENDING.exec(one)
    const selector = withPrefixes(ending === null ? one : one.slice(0, ending.index)).trim()
    const wanted = wantedOf(ending)
    const problem = problemOf(selector, ending)
    if (problem !== undefined) throw new BadSelector('CSS selector', selectors, problem)
    const last = parts.at(-1)
    if (last !== undefined && isSame(last.wanted, wanted)) last.selector += `, ${selector}`
    else parts.push({ selector, wanted })
  }
  return parts
}

const ENDING = /\s*::(?:(text)|attr\(\s*([^\s()]+)\s*\))\s*$/i
const STRANGE = /::[\w-]*(?:\([^)]*\)?)?/
/** Pieces in which no comma, colon or bar has a meaning: escapes, strings, brackets. */
const QUOTED = String.raw`\\[^]|"(?:\\[^]|[^"\\])*"?|'(?:\\[^]|[^'\\])*'?|\[(?:"[^"]*"|'[^']*'|[^\]"'])*\]?`
const QUOTED_OR_BAR = new RegExp(String.raw`${QUOTED}|([\w-])\|(?=[\w*-])`, 'g')
const TOKENS = new RegExp(String.raw`${QUOTED}|[(),]|[^\\"'[(),]+|[^]`, 'g')

/** What css-select would take for something else, or not say clearly. */
function problemOf(selector: string, ending: RegExpExecArray | null): string | undefined {
  if (selector === '') return ending === null ? 'it is empty' : `put an element before ${ending[0].trim()}`
  const bare = withoutQuotes(selector)
  const combinator = /[>+~]$/.exec(bare)?.[0]
  if (combinator !== undefined) return `nothing follows the ${combinator}`
  const strange = STRANGE.exec(bare)?.[0]
  if (strange === undefined) return undefined
  return `${strange} is not known; at the end of a selector stands ::text or ::attr(name), or nothing`
}

function wantedOf(ending: RegExpExecArray | null): Wanted {
  if (ending === null) return { kind: 'elements' }
  const [, text, name = ''] = ending
  return text === undefined ? { kind: 'attribute', name } : { kind: 'texts' }
}

function isSame(a: Wanted, b: Wanted): boolean {
  return a.kind === b.kind && (a.kind !== 'attribute' || b.kind !== 'attribute' || a.name === b.name)
}

/** At the commas that are not inside parentheses, brackets or strings. */
function splitList(selectors: string): string[] {
  const list = ['']
  let depth = 0
  for (const [token] of selectors.matchAll(TOKENS)) {
    if (token === ',' && depth === 0) list.push('')
    else list.push(`${list.pop()}${token}`)
    if (token === '(') depth++
    else if (token === ')') depth--
  }
  return list
}

function withPrefixes(selector: string): string {
  return selector.replace(QUOTED_OR_BAR, (whole, before?: string) =>
    before === undefined ? whole : `${before}\\:`,
  )
}

function withoutQuotes(selector: string): string {
  return selector.replace(new RegExp(QUOTED, 'g'), '')
}
