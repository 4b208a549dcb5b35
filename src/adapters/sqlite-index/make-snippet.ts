import type { SearchPhrase } from '../../domain/search/search-query.ts'
import { type PlacedWord, placedWords } from '../../domain/search/search-words.ts'

/** A piece of a text; what was looked for is marked. It is text of a page: to be escaped wherever it is shown. */
export interface TextPart {
  readonly text: string
  readonly marked: boolean
}

/** The passage of a text with most of what was looked for, in one line, and its beginning when there is nothing of it. */
export function makeSnippet(
  text: string,
  phrases: readonly SearchPhrase[],
  maxLength = SNIPPET_LENGTH,
): TextPart[] {
  const region = regionStart(text, phrases)
  const begin = region ?? 0
  const start = region === undefined ? text.slice(0, MAX_READ) : text.slice(region, region + REGION)
  const marks = findMarks(start, phrases)
  const from = passageStart(start, marks, maxLength)
  const to = wordEnd(start, from + maxLength)
  const parts = partsOf(
    start.slice(from, to),
    marks.map((mark) => ({ start: mark.start - from, end: mark.end - from })),
  )
  const last = parts.at(-1)
  return [
    ...(begin + from > 0 ? [{ text: '… ', marked: false }] : []),
    ...parts,
    ...(begin + to < text.length && last !== undefined ? [{ text: ' …', marked: false }] : []),
  ]
}

/** A short text with what was looked for marked: a title. */
export function markText(text: string, phrases: readonly SearchPhrase[]): TextPart[] {
  return partsOf(text, findMarks(text, phrases))
}

const SNIPPET_LENGTH = 240
/** Texts are read so far: a page that has its first match later is shown by its beginning. */
const MAX_READ = 50_000
/** As much is read of a long text around its first match. */
const REGION = 8_000

/**
 * Where to begin to read a long text: before the first place that has all words next to one another, or the longest word. `undefined` if the
 * text has no such place in these letters: accents are compared when the text is read.
 */
function regionStart(text: string, phrases: readonly SearchPhrase[]): number | undefined {
  if (text.length <= REGION || phrases.length === 0) return undefined
  const lower = text.slice(0, 4 * MAX_READ).toLowerCase()
  const words = phrases.map((phrase) => phrase.words.join(' '))
  const byLength = words.toSorted((a, b) => b.length - a.length)
  for (const wanted of [words.join(' '), ...byLength]) {
    const at = lower.indexOf(wanted)
    if (at !== -1) return at < REGION / 2 ? 0 : wordStart(text, at - 2 * LEAD)
  }
  return undefined
}

/** What stands before the first mark. */
const LEAD = 60

interface Mark {
  readonly start: number
  readonly end: number
  /** Which of the phrases it is. */
  readonly phrase: number
}

/** In order, without overlaps. */
function findMarks(text: string, phrases: readonly SearchPhrase[]): Mark[] {
  if (phrases.length === 0) return []
  const placed = placedWords(text)
  const marks: Mark[] = []
  for (let i = 0; i < placed.length; i++) {
    let best: Mark | undefined
    phrases.forEach((phrase, index) => {
      const last = matchAt(placed, i, phrase)
      if (last !== undefined && last.end > (best?.end ?? 0))
        best = { start: placed[i]?.start ?? 0, end: last.end, phrase: index }
    })
    if (best === undefined) continue
    marks.push(best)
    while ((placed[i + 1]?.start ?? best.end) < best.end) i++
  }
  return marks
}

/** The last word of a phrase that begins with the word at `i`; `undefined` when it does not stand there. */
function matchAt(
  placed: readonly PlacedWord[],
  i: number,
  { words, prefix }: SearchPhrase,
): PlacedWord | undefined {
  for (let j = 0; j < words.length; j++) {
    const word = words[j] ?? ''
    const found = placed[i + j]?.word
    const fits = prefix && j === words.length - 1 ? found?.startsWith(word) : found === word
    if (fits !== true) return undefined
  }
  return placed[i + words.length - 1]
}

/** Where a passage begins that has most of the phrases, then most marks; the first such. */
function passageStart(text: string, marks: readonly Mark[], maxLength: number): number {
  let best: Mark | undefined
  let bestWorth = 0
  let end = 0
  for (const [i, first] of marks.entries()) {
    while ((marks[end]?.end ?? Number.POSITIVE_INFINITY) <= first.start + maxLength - LEAD) end++
    const within = marks.slice(i, Math.min(end, i + MAX_MARKS))
    const worth = new Set(within.map(({ phrase }) => phrase)).size * MAX_MARKS + within.length
    if (worth > bestWorth) [best, bestWorth] = [first, worth]
  }
  if (best === undefined || best.end <= maxLength / 2) return 0
  return wordStart(text, Math.max(0, best.start - LEAD))
}

/** Of one passage that are counted. */
const MAX_MARKS = 20

/** The first place at or after `i` where a word begins, if one does soon; in scripts without spaces, any place. */
function wordStart(text: string, i: number): number {
  if (i <= 0) return 0
  const gap = text.slice(i, i + LEAD / 2).search(/\s/)
  return gap === -1 ? betweenCharacters(text, i) : i + gap + 1
}

function wordEnd(text: string, i: number): number {
  if (i >= text.length) return text.length
  const tail = text.slice(i - LEAD / 2, i)
  const gap = tail.search(/\s\S*$/)
  return gap === -1 ? betweenCharacters(text, i) : i - tail.length + gap
}

/** Not within a surrogate pair. */
function betweenCharacters(text: string, i: number): number {
  return (text.codePointAt(i - 1) ?? 0) > 0xffff ? i - 1 : i
}

function partsOf(
  text: string,
  marks: ReadonlyArray<{ readonly start: number; readonly end: number }>,
): TextPart[] {
  const parts: TextPart[] = []
  const add = (piece: string, marked: boolean) => {
    const line = piece.replace(/\s+/g, ' ')
    if (line !== '') parts.push({ text: line, marked })
  }
  let at = 0
  for (const { start, end } of marks) {
    if (start < at || end > text.length) continue
    add(text.slice(at, start), false)
    add(text.slice(start, end), true)
    at = end
  }
  add(text.slice(at), false)
  return parts
}
