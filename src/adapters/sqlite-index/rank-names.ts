import { searchWords } from '../../domain/search/search-words.ts'
import type { Alternatives } from './query-expansion.ts'

/** A word or phrase of a query, as the names of pages are compared with it. */
export interface WantedUnit extends Alternatives {
  readonly words: readonly string[]
  readonly prefix: boolean
  /** How much it tells: rare words tell more. */
  readonly weight: number
}

/** The weight of a word that half of the pages have. */
export const COMMON_WEIGHT = Math.log(3)

/** What a page is called. */
export interface PageNames {
  /** Its title, without the name of the site. */
  readonly name: string
  /** Its whole title. */
  readonly title: string
  readonly headings: readonly string[]
  /** The most frequent first. */
  readonly anchors: readonly string[]
  readonly url: string
}

/** How well each kind of name fits a query, from 0 to 1 (a little more for `title`: both it and the first heading count). */
export interface NameScores {
  readonly title: number
  readonly anchors: number
  readonly url: number
  readonly headings: number
}

export function rankNames(
  { name, title, headings, anchors, url }: PageNames,
  units: readonly WantedUnit[],
): NameScores {
  if (units.length === 0) return NO_SCORES
  const [first = '', ...others] = headings
  const { address, sections } = pathOf(url)
  return {
    title: isWhole(title, units) ? 1 : Math.max(fitOf(name, units), fitOf(first, units)),
    anchors: bestOf(anchors.slice(0, MAX_ANCHORS), units, ANCHOR_DECAY),
    url: Math.max(fitOf(address, units), joinedFit(address, units), sectionFit(sections, units)),
    headings: bestOf(others, units, 0),
  }
}

const NO_SCORES: NameScores = { title: 0, anchors: 0, url: 0, headings: 0 }
/** The tenth most frequent anchor text counts three quarters. */
const ANCHOR_DECAY = 0.035
const MAX_ANCHORS = 60

function bestOf(texts: readonly string[], units: readonly WantedUnit[], decay: number): number {
  let best = 0
  for (let i = 0; i < texts.length; i++) {
    const most = 1 / (1 + decay * i)
    if (most <= best) break
    const text = texts[i] ?? ''
    if (mayHave(text, units)) best = Math.max(best, fitOf(text, units) * most)
  }
  return best
}

/** Whether a query is a whole title with the name of the site, as it is copied from elsewhere. */
function isWhole(title: string, units: readonly WantedUnit[]): boolean {
  const wanted = units.flatMap(({ words }) => words).join(' ')
  return title.length >= wanted.length && searchWords(title).join(' ') === wanted
}

/** False if the text certainly has no word of them: a page may have hundreds of headings, and finding words takes longer than this. */
function mayHave(text: string, units: readonly WantedUnit[]): boolean {
  if (/[^\0-\x7f]/.test(text)) return true
  const lower = text.toLowerCase()
  return units.some(
    ({ words: [word = ''], forms, synonyms }) =>
      lower.includes(word) ||
      forms.some((form) => lower.includes(form)) ||
      synonyms.some(([first = '']) => lower.includes(first)),
  )
}

/**
 * How well a short text fits: 1 if it consists of the words in their order. Less for each word that it does not have, by its weight, for
 * words that the query does not have, and for words that are not next to one another.
 */
function fitOf(text: string, units: readonly WantedUnit[]): number {
  if (text === '') return 0
  const words = searchWords(text.length > MAX_CHARS ? text.slice(0, MAX_CHARS) : text)
  let found = 0
  let wanted = 0
  let covered = 0
  let inOrder = 0
  let next = -1
  for (const unit of units) {
    wanted += unit.weight
    const match = findUnit(words, unit, next)
    if (match === undefined) {
      next = -1
      continue
    }
    found += unit.weight * match.quality
    covered += match.length
    if (match.at === next) inOrder++
    next = match.at + match.length
  }
  if (found === 0) return 0
  const recall = found / wanted
  const precision = Math.min(1, covered / words.length)
  const order = units.length === 1 ? 1 : inOrder / (units.length - 1)
  return recall * recall * (WORDS_PART + ORDER_PART * order + PRECISION_PART * precision)
}

const MAX_CHARS = 300
const WORDS_PART = 0.3
const ORDER_PART = 0.25
const PRECISION_PART = 0.45

interface UnitMatch {
  readonly at: number
  /** Words. */
  readonly length: number
  readonly quality: number
}

const FORM_QUALITY = 0.9
const SYNONYM_QUALITY = 0.85

/** The best place of a unit; at `preferred` among equals. */
function findUnit(words: readonly string[], unit: WantedUnit, preferred: number): UnitMatch | undefined {
  let best: UnitMatch | undefined
  const offer = (at: number, length: number, quality: number) => {
    const isBetter =
      best === undefined || quality > best.quality || (quality === best.quality && at === preferred)
    if (isBetter) best = { at, length, quality }
  }
  for (let at = 0; at < words.length; at++) {
    if (startsHere(words, at, unit.words, unit.prefix)) offer(at, unit.words.length, 1)
    else if (unit.forms.includes(words[at] ?? '')) offer(at, 1, FORM_QUALITY)
    else
      for (const synonym of unit.synonyms)
        if (startsHere(words, at, synonym, false)) offer(at, synonym.length, SYNONYM_QUALITY)
  }
  return best
}

function startsHere(
  words: readonly string[],
  at: number,
  phrase: readonly string[],
  prefix: boolean,
): boolean {
  for (let i = 0; i < phrase.length; i++) {
    const word = phrase[i] ?? ''
    const found = words[at + i]
    const fits = prefix && i === phrase.length - 1 ? found?.startsWith(word) : found === word
    if (fits !== true) return false
  }
  return true
}

/** The last part of a path without its ending, or the one before it for an index page; and the parts before that. */
function pathOf(url: string): { readonly address: string; readonly sections: string } {
  const parts = url
    .replace(/^[a-z]+:\/\/[^/]*/i, '')
    .replace(/[?#].*$/s, '')
    .split('/')
    .filter((part) => part !== '' && !/^(?:index|default|welcome)\.[a-z]+$/i.test(part))
  const last = (parts.pop() ?? '').replace(/\.[a-z0-9]{1,5}$/i, '')
  return { address: decoded(last), sections: decoded(parts.join('/')) }
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** Which words the sections of a site have that a page is in: `silk` for `/silk/capture-spiral`. They say what it is about, not which page it is. */
function sectionFit(sections: string, units: readonly WantedUnit[]): number {
  if (sections === '') return 0
  const words = searchWords(sections.slice(0, MAX_CHARS))
  let found = 0
  let wanted = 0
  for (const unit of units) {
    wanted += unit.weight
    found += unit.weight * (findUnit(words, unit, -1)?.quality ?? 0)
  }
  return (SECTION_PART * found) / wanted
}

const SECTION_PART = 0.35

/** Names in URLs are often written as one word: `sql-createtable`. */
function joinedFit(address: string, units: readonly WantedUnit[]): number {
  const joined = units.flatMap(({ words }) => words).join('')
  if (joined.length < MIN_JOINED) return 0
  const words = searchWords(address)
  const whole = words.join('')
  if (whole === joined) return 1
  if (words.includes(joined)) return 0.8
  return whole.includes(joined) ? 0.5 * (joined.length / whole.length) : 0
}

const MIN_JOINED = 4
