import { appendAll } from '../../base/append-all.ts'
import type { SearchPhrase } from '../../domain/search/search-query.ts'
import { type PlacedWord, placedWords } from '../../domain/search/search-words.ts'
import { sentencesIn, type TextRange } from './split-sentences.ts'

/** A piece of a text; what was looked for is marked. It is text of a page: to be escaped wherever it is shown. */
export interface TextPart {
  readonly text: string
  readonly marked: boolean
}

/** A phrase to mark. */
export interface MarkedPhrase extends SearchPhrase {
  /** Which phrase of the query it stands for: other forms of a word have the same. @default its own */
  readonly group?: number
}

/**
 * The sentences of a text with most of what was looked for, in their order and in one line; its first sentences when there is nothing of
 * it. List items and table cells are sentences, too. Only a sentence that is too long is cut.
 */
export function makeSnippet(
  text: string,
  phrases: readonly MarkedPhrase[],
  maxLength = SNIPPET_LENGTH,
): TextPart[] {
  const sentences = passagesOf(text, phrases).map((range) => judge(text, range, phrases))
  const chosen =
    text.length <= maxLength ? sentences : chooseSentences(text, sentences, groupsOf(phrases), maxLength)
  return joinSentences(text, chosen, maxLength)
}

/** A short text with what was looked for marked: a title. */
export function markText(text: string, phrases: readonly MarkedPhrase[]): TextPart[] {
  return partsOf(text, findMarks(text, phrases))
}

function groupsOf(phrases: readonly MarkedPhrase[]): number {
  return new Set(phrases.map(({ group }, i) => group ?? i)).size
}

const SNIPPET_LENGTH = 240
/** As much is read of a text that has its words nowhere in these letters. */
const MAX_READ = 50_000
/** Longer texts are read only where the words are. */
const MAX_WHOLE = 8_000
/** Per word. */
const MAX_PLACES = 8
/** What is read around a word of a long text, if its line is longer. */
const MAX_LINE = 1_000

/**
 * The sentences to choose from: all of a short text, of a long one those in the lines that have a word of the query. Accents are compared
 * when a line is read: without a line, the beginning is read.
 */
function passagesOf(text: string, phrases: readonly MarkedPhrase[]): TextRange[] {
  if (text.length <= MAX_WHOLE) return sentencesIn(text)
  const lines = linesWith(text, phrases)
  if (lines.length === 0) return sentencesIn(text, 0, lineEnd(text, MAX_READ))
  return lines.flatMap(({ start, end }) => sentencesIn(text, start, end))
}

function linesWith(text: string, phrases: readonly MarkedPhrase[]): TextRange[] {
  const lower = text.toLowerCase()
  // Lengths differ only in rare characters: the places would be wrong.
  if (lower.length !== text.length) return []
  const words = [...new Set(phrases.flatMap((phrase) => phrase.words))]
  const wanted = [words.join(' '), ...phrases.map((phrase) => phrase.words.join(' ')), ...words]
  const starts = new Map<number, TextRange>()
  for (const word of new Set(wanted)) {
    let at = lower.indexOf(word)
    for (let count = 0; at !== -1 && count < MAX_PLACES; count++) {
      const start = lineStart(text, at)
      const end = lineEnd(text, at)
      starts.set(start, { start, end })
      at = lower.indexOf(word, end)
    }
  }
  return [...starts.values()].sort((a, b) => a.start - b.start)
}

function lineStart(text: string, at: number): number {
  const start = text.lastIndexOf('\n', at - 1) + 1
  return at - start <= MAX_LINE ? start : wordStart(text, at - MAX_LINE)
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  const last = end === -1 ? text.length : end
  return last - at <= MAX_LINE ? last : wordEnd(text, at + MAX_LINE)
}

interface Sentence extends TextRange {
  readonly marks: readonly Mark[]
  /** Whether it reads like a sentence, not like a heading or a menu entry. */
  readonly isProse: boolean
}

function judge(text: string, { start, end }: TextRange, phrases: readonly MarkedPhrase[]): Sentence {
  const sentence = text.slice(start, end)
  const length = end - start
  return {
    ...{ start, end },
    marks: mayHave(sentence, phrases) ? findMarks(sentence, phrases) : [],
    isProse: length >= MIN_PROSE && (/[.!?:;。！？]["'”’»)\]]*$/.test(sentence) || length >= LONG_PROSE),
  }
}

const MIN_PROSE = 25
const LONG_PROSE = 80

/** False if the sentence certainly has none of them. Finding words takes longer than this. */
function mayHave(sentence: string, phrases: readonly MarkedPhrase[]): boolean {
  if (/[^\0-\x7f]/.test(sentence)) return true
  const lower = sentence.toLowerCase()
  return phrases.some(({ words: [word = ''] }) => lower.includes(word))
}

/** The best sentence, then others that add what it lacks, then those next to it, as long as there is room. In their order. */
function chooseSentences(
  text: string,
  sentences: readonly Sentence[],
  phrases: number,
  maxLength: number,
): Sentence[] {
  const chosen = new Set<number>()
  const seen = new Set<number>()
  let room = maxLength
  const take = (i: number) => {
    const sentence = sentences[i]
    if (sentence === undefined || chosen.has(i)) return false
    const length = sentence.end - sentence.start
    if (chosen.size > 0 && length + SEPARATOR > room) return false
    chosen.add(i)
    room -= length + SEPARATOR
    for (const { phrase } of sentence.marks) seen.add(phrase)
    return true
  }
  for (;;) {
    const next = bestSentence(sentences, chosen, seen, room, phrases)
    if (next === undefined || !take(next)) break
  }
  if (chosen.size === 0) take(firstProse(sentences))
  // What follows explains best.
  const last = [...chosen].reduce((latest, i) => Math.max(latest, i), -1)
  for (let i = last + 1; isFollowedBy(text, sentences[i - 1], sentences[i]); i++) if (!take(i)) break
  return [...chosen].sort((a, b) => a - b).flatMap((i) => sentences[i] ?? [])
}

const SEPARATOR = 3
/** Other sentences than the best are shown only if they are about what was looked for. */
const MAX_MARKS = 4

/** The sentence that adds most; the first among equals. */
function bestSentence(
  sentences: readonly Sentence[],
  chosen: ReadonlySet<number>,
  seen: ReadonlySet<number>,
  room: number,
  phrases: number,
): number | undefined {
  let best: number | undefined
  let bestWorth = 0
  for (const [i, { start, end, marks, isProse }] of sentences.entries()) {
    if (marks.length === 0 || chosen.has(i)) continue
    if (chosen.size > 0 && (!isProse || end - start + SEPARATOR > room)) continue
    const found = new Set(marks.map(({ phrase }) => phrase))
    let added = 0
    for (const phrase of found) if (!seen.has(phrase)) added++
    const together = found.size > 1 ? closeness(marks, found.size) : 0
    const worth = added * 4 + together * 3 + Math.min(marks.length, MAX_MARKS) / MAX_MARKS + (isProse ? 2 : 0)
    // A second sentence must add something, or have all words.
    if (chosen.size > 0 && added === 0 && found.size < phrases) continue
    if (worth > bestWorth) [best, bestWorth] = [i, worth]
  }
  return best
}

/** 1 if different phrases are next to one another, less the more is between them. */
function closeness(marks: readonly Mark[], count: number): number {
  let best = 0
  for (const [i, first] of marks.entries()) {
    const found = new Set<number>()
    for (let j = i; j < marks.length && found.size < count; j++) {
      const mark = marks[j]
      if (mark === undefined) break
      found.add(mark.phrase)
      if (found.size === count) best = Math.max(best, 1 / (1 + (mark.start - first.end) / CLOSE))
    }
  }
  return best
}

/** Characters between words that count half. */
const CLOSE = 40

function firstProse(sentences: readonly Sentence[]): number {
  const first = sentences.findIndex(({ isProse }) => isProse)
  return first === -1 ? 0 : first
}

/** Whether the second sentence follows the first, and belongs to it: it is in the same line, or prose. */
function isFollowedBy(text: string, a: Sentence | undefined, b: Sentence | undefined): boolean {
  if (a === undefined || b === undefined) return false
  const between = text.slice(a.end, b.start)
  return between.trim() === '' && (b.isProse || !/[\n\t]/.test(between))
}

function joinSentences(text: string, chosen: readonly Sentence[], maxLength: number): TextPart[] {
  const parts: TextPart[] = []
  let before = 0
  for (const [i, sentence] of chosen.entries()) {
    const { from, to, marks } = cut(
      text,
      sentence,
      chosen.length === 1 ? maxLength : sentence.end - sentence.start,
    )
    const isGap = /\S/.test(text.slice(before, from))
    if (isGap) parts.push({ text: i === 0 ? '… ' : ' … ', marked: false })
    else if (i > 0) parts.push({ text: ' ', marked: false })
    appendAll(parts, partsOf(text.slice(from, to), marks))
    before = to
  }
  if (parts.length > 0 && /\S/.test(text.slice(before))) parts.push({ text: ' …', marked: false })
  return parts
}

interface CutSentence {
  readonly from: number
  readonly to: number
  /** From `from` on. */
  readonly marks: readonly TextRange[]
}

/** A sentence, or the part of a long one with most marks, at word ends. */
function cut(text: string, { start, end, marks }: Sentence, maxLength: number): CutSentence {
  if (end - start <= maxLength) return { from: start, to: end, marks }
  const sentence = text.slice(start, end)
  const offset = passageStart(sentence, marks, maxLength)
  const until = wordEnd(sentence, offset + maxLength)
  const moved = marks.map((mark) => ({ start: mark.start - offset, end: mark.end - offset }))
  return { from: start + offset, to: start + until, marks: moved }
}

/** What stands before the first mark. */
const LEAD = 60

interface Mark extends TextRange {
  /** Which phrase of the query it is. */
  readonly phrase: number
}

/** In order, without overlaps. */
function findMarks(text: string, phrases: readonly MarkedPhrase[]): Mark[] {
  if (phrases.length === 0) return []
  const starting = phrasesByStart(phrases)
  const placed = placedWords(text)
  const marks: Mark[] = []
  for (let i = 0; i < placed.length; i++) {
    let best: Mark | undefined
    const { word = '', start = 0 } = placed[i] ?? {}
    for (const { phrase, index } of [...(starting.get(word) ?? []), ...(starting.get(PREFIXES) ?? [])]) {
      const last = matchAt(placed, i, phrase)
      if (last !== undefined && last.end > (best?.end ?? 0))
        best = { start, end: last.end, phrase: phrase.group ?? index }
    }
    if (best === undefined) continue
    marks.push(best)
    while ((placed[i + 1]?.start ?? best.end) < best.end) i++
  }
  return marks
}

interface StartingPhrase {
  readonly phrase: MarkedPhrase
  readonly index: number
}

/** Phrases by their first words, because a query may have a hundred with all other forms; those that are one prefix under `PREFIXES`. */
function phrasesByStart(phrases: readonly MarkedPhrase[]): ReadonlyMap<string, readonly StartingPhrase[]> {
  const known = byStart.get(phrases)
  if (known !== undefined) return known
  const starting = new Map<string, StartingPhrase[]>()
  for (const [index, phrase] of phrases.entries()) {
    const [word = ''] = phrase.words
    const key = phrase.prefix && phrase.words.length === 1 ? PREFIXES : word
    starting.set(key, [...(starting.get(key) ?? []), { phrase, index }])
  }
  byStart.set(phrases, starting)
  return starting
}

const byStart = new WeakMap<readonly MarkedPhrase[], ReadonlyMap<string, readonly StartingPhrase[]>>()
/** No word has a space. */
const PREFIXES = ' '

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
    const within = marks.slice(i, Math.min(end, i + MAX_COUNTED))
    const worth = new Set(within.map(({ phrase }) => phrase)).size * MAX_COUNTED + within.length
    if (worth > bestWorth) [best, bestWorth] = [first, worth]
  }
  if (best === undefined || best.end <= maxLength / 2) return 0
  return wordStart(text, Math.max(0, best.start - LEAD))
}

/** Marks of one passage that are counted. */
const MAX_COUNTED = 20

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

function partsOf(text: string, marks: readonly TextRange[]): TextPart[] {
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
