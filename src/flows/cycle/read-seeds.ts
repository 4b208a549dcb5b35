import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { Interrupted } from '../../base/interrupted.ts'
import type { JudgeUrl } from '../../domain/crawldb/crawl-db-requests.ts'
import type { PlainSeeds, Seed, SeedBatch } from '../../domain/crawldb/inject-record.ts'
import { findPlainEnd } from '../../domain/url/plain-url.ts'

/** A text with one seed per line. */
export interface SeedSource {
  /** For messages: a file, `stdin`, or `argument`. */
  readonly name: string
  readonly text: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

/** A seed that was rejected, or an item of a seed that was left out. */
export interface SeedProblem {
  /** `seeds.txt:12` */
  readonly at: string
  /** The URL as written. */
  readonly url: string
  readonly reason: string
}

/** Counts seeds and their problems. Of each kind of problem the first few are kept as examples. */
export class SeedTally {
  /** Lines with a URL. */
  seeds = 0
  /** Items of a line that were left out; their URLs were not. */
  badItems = 0
  readonly rejected = new Map<string, number>()
  readonly examples: SeedProblem[] = []
  readonly #perReason: number

  constructor(examplesPerReason = 5) {
    this.#perReason = examplesPerReason
  }

  reject(reason: string, problem: SeedProblem): void {
    const before = this.rejected.get(reason) ?? 0
    this.rejected.set(reason, before + 1)
    if (before < this.#perReason) this.examples.push(problem)
  }

  leaveOut(problem: SeedProblem): void {
    if (this.badItems++ < this.#perReason) this.examples.push(problem)
  }
}

/**
 * Opens files, directories (the files in them; subdirectories are skipped and passed to `onSkipped`), `-` for standard input, and URLs.
 * @throws ConfigurationError if a name does not exist, or a directory has no file
 */
export async function* seedSources(
  names: readonly string[],
  standardInput: AsyncIterable<Uint8Array>,
  onSkipped: (directory: string) => void,
): AsyncGenerator<SeedSource> {
  for (const name of names) {
    if (name === '-') yield { name: 'stdin', text: standardInput }
    else if (/^https?:|^[a-z][a-z\d+.-]*:\/\//i.test(name))
      yield { name: 'argument', text: [new TextEncoder().encode(name)] }
    else for (const file of await seedFiles(name, onSkipped)) yield fileSource(file)
  }
}

async function seedFiles(path: string, onSkipped: (directory: string) => void): Promise<string[]> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined)
    throw new ConfigurationError(
      'SEEDS_MISSING',
      `there is no ${path}: give a file, a directory, a URL with http:// or https://, or -`,
    )
  if (!found.isDirectory()) return [path]
  const entries = (await readdir(path, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1))
  for (const entry of entries) if (entry.isDirectory()) onSkipped(join(path, entry.name))
  const files = entries.filter((entry) => !entry.isDirectory()).map(({ name }) => join(path, name))
  if (files.length === 0) throw new ConfigurationError('SEEDS_MISSING', `there is no file in ${path}`)
  return files
}

function fileSource(file: string): SeedSource {
  return { name: file, text: createReadStream(file, { highWaterMark: READ_BYTES }) }
}

const READ_BYTES = 1 << 20

/** The same sources. After `signal`, reading them throws `Interrupted`, also while a stream waits for data. */
export async function* interruptSources(
  sources: AsyncIterable<SeedSource>,
  signal: AbortSignal,
): AsyncGenerator<SeedSource> {
  for await (const { name, text } of sources) yield { name, text: interruptText(text, signal) }
}

async function* interruptText(text: SeedSource['text'], signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const close = () => {
    if (text instanceof Readable) text.destroy(new Interrupted())
  }
  signal.addEventListener('abort', close)
  try {
    if (signal.aborted) throw new Interrupted()
    for await (const bytes of text) {
      yield bytes
      if (signal.aborted) throw new Interrupted()
    }
  } finally {
    signal.removeEventListener('abort', close)
  }
}

/** Reads the seeds of all sources in batches; `judge` normalises and filters them. Memory does not grow with their number. */
export async function* readSeeds(
  sources: AsyncIterable<SeedSource>,
  judge: JudgeUrl,
  tally: SeedTally,
): AsyncGenerator<Seed[]> {
  for await (const { name, text } of sources) {
    const reader = new SourceReader(name, judge, tally)
    for await (const bytes of text) yield reader.read(bytes)
    yield reader.end()
  }
}

/** The same, with plain URLs (plain-url.ts) as `PlainSeeds`. They are not judged: `judge` must accept them. */
export async function* readPlainSeeds(
  sources: AsyncIterable<SeedSource>,
  judge: JudgeUrl,
  tally: SeedTally,
): AsyncGenerator<SeedBatch> {
  for await (const { name, text } of sources) {
    const reader = new SourceReader(name, judge, tally)
    for await (const bytes of text) yield reader.readPlain(bytes)
    yield reader.end()
  }
}

/** Reads the seeds of one source. */
class SourceReader {
  readonly #name: string
  readonly #judge: JudgeUrl
  readonly #tally: SeedTally
  /** It removes a byte order mark, and replaces invalid UTF-8 by U+FFFD. */
  readonly #decoder = new TextDecoder()
  readonly #splitter = new LineSplitter()
  /** Lines read. */
  #line = 0
  /** Whether the last chunk of `readPlain` ended within a line. */
  #isLineOpen = false

  constructor(name: string, judge: JudgeUrl, tally: SeedTally) {
    this.#name = name
    this.#judge = judge
    this.#tally = tally
  }

  /** The seeds of the lines that end in this chunk. */
  read(bytes: Uint8Array): Seed[] {
    return this.#judgeLines(this.#splitter.push(this.#decoder.decode(bytes, { stream: true })))
  }

  /** The same, with plain URLs as `PlainSeeds`. Other lines are judged, as many at once as follow each other. */
  readPlain(bytes: Uint8Array): SeedBatch {
    const seeds: (Seed | PlainSeeds)[] = []
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    let done = 0
    for (let at = this.#isLineOpen ? lineEnd(text, 0) : 0; at < text.length; ) {
      const { end, count } = plainLines(text, at)
      if (count === 0) {
        at = lineEnd(text, at)
        continue
      }
      for (const seed of this.read(text.subarray(done, at))) seeds.push(seed)
      seeds.push({ urls: text.toString('latin1', at, end - 1), count })
      this.#tally.seeds += count
      this.#line += count
      at = end
      done = end
    }
    for (const seed of this.read(text.subarray(done))) seeds.push(seed)
    if (text.length > 0) this.#isLineOpen = text.at(-1) !== LINE_FEED
    return seeds
  }

  /** The seed of the last line, if it has no end. */
  end(): Seed[] {
    return this.#judgeLines([...this.#splitter.push(this.#decoder.decode()), ...this.#splitter.end()])
  }

  #judgeLines(lines: readonly string[]): Seed[] {
    const seeds: Seed[] = []
    for (const written of lines) {
      this.#line++
      const seed = this.#judgeLine(written)
      if (seed !== undefined) seeds.push(seed)
    }
    return seeds
  }

  #judgeLine(written: string): Seed | undefined {
    const read = parseSeedLine(written)
    if (read.kind === 'blank') return undefined
    const { seed, badItems } = read
    this.#tally.seeds++
    for (const reason of badItems) this.#tally.leaveOut({ at: this.#at(), url: seed.url, reason })
    const verdict = this.#judge(seed.url)
    if (verdict.ok) return verdict.url === seed.url ? seed : { ...seed, url: verdict.url }
    this.#tally.reject(verdict.reason, { at: this.#at(), url: seed.url, reason: verdict.detail })
    return undefined
  }

  /** The line that is judged, for messages. */
  #at(): string {
    return `${this.#name}:${this.#line}`
  }
}

/** The plain URLs that follow each other from `start` on, at most `MAX_PLAIN_LINES`; `end` is after the last line feed. */
function plainLines(bytes: Uint8Array, start: number): { end: number; count: number } {
  let end = start
  let count = 0
  for (; count < MAX_PLAIN_LINES; count++) {
    const lineFeed = findPlainEnd(bytes, end)
    if (lineFeed === -1) break
    end = lineFeed + 1
  }
  return { end, count }
}

/** Few enough that the database need not split a long text. */
const MAX_PLAIN_LINES = 2_000

/** After the line feed that ends the line at `start`; the end of `bytes` if there is none. */
function lineEnd(bytes: Uint8Array, start: number): number {
  const lineFeed = bytes.indexOf(LINE_FEED, start)
  return lineFeed === -1 ? bytes.length : lineFeed + 1
}

const LINE_FEED = 0x0a

/** Splits streamed text into lines that end with LF, CRLF or CR. Lines longer than `maxLength` are truncated, so memory is bounded. */
export class LineSplitter {
  readonly #maxLength: number
  /** The text after the last line end. */
  #partial = ''

  /** @param maxLength at least this many characters of each line are kept; @default 1000000 */
  constructor(maxLength = 1_000_000) {
    this.#maxLength = maxLength
  }

  /** The lines that end in this chunk. */
  push(chunk: string): string[] {
    const text = this.#partial + chunk
    // A CR at the end may be the first half of a CRLF.
    const whole = text.endsWith('\r') ? text.slice(0, -1) : text
    const lines = (whole.includes('\r') ? whole.replace(/\r\n?/g, '\n') : whole).split('\n')
    const last = lines.pop() ?? ''
    this.#partial = last.slice(0, this.#maxLength) + text.slice(whole.length)
    return lines
  }

  /** The last line, if the text did not end with a line end. */
  end(): string[] {
    const last = this.#partial.replace(/\r$/, '')
    this.#partial = ''
    return last === '' ? [] : [last]
  }
}

/** A line of a seed list. */
export type SeedLine =
  | { readonly kind: 'blank' }
  | {
      readonly kind: 'seed'
      /** As written; its URL is not normalised yet. */
      readonly seed: Seed
      /** Items that were left out, each with the reason. */
      readonly badItems: readonly string[]
    }

/**
 * Parses a line in Nutch's format: a URL, then TAB-separated `key=value` items. Empty lines and those that start with `#` are blank.
 * Items without `=` are ignored, as in Nutch. Items with a reserved key and a value that is not a number are reported.
 */
export function parseSeedLine(line: string): SeedLine {
  const text = line.trim()
  if (text === '' || text.startsWith('#')) return BLANK
  const tab = text.indexOf('\t')
  if (tab === -1) return { kind: 'seed', seed: { url: text, metadata: NO_METADATA }, badItems: NO_ITEMS }

  const given: { -readonly [Key in NumberKey]?: number } = {}
  const metadata: Record<string, string> = {}
  const badItems: string[] = []
  for (const item of text.slice(tab + 1).split('\t')) {
    const equals = item.indexOf('=')
    if (equals === -1) continue
    const key = item.slice(0, equals).trim()
    const value = item.slice(equals + 1).trim()
    const field = RESERVED.get(key.replace(/^nutch\./, ''))
    if (field === undefined) {
      if (key !== '') metadata[key] = value
      continue
    }
    const problem = numberProblem(field, value)
    if (problem === undefined) given[field] = Number(value)
    else badItems.push(`${key}=${value} ${problem}`)
  }
  return { kind: 'seed', seed: { url: text.slice(0, tab).trim(), ...given, metadata }, badItems }
}

const BLANK: SeedLine = { kind: 'blank' }
const NO_METADATA: Readonly<Record<string, string>> = Object.freeze({})
const NO_ITEMS: readonly string[] = []

type NumberKey = 'score' | 'fetchInterval' | 'fixedInterval'

/** The reserved keys, which may also be written with `nutch.` before them. */
const RESERVED = new Map<string, NumberKey>([
  ['score', 'score'],
  ['fetchInterval', 'fetchInterval'],
  ['fetchInterval.fixed', 'fixedInterval'],
])

/** The longest interval that the database can store, in seconds: 136 years. */
const MAX_SECONDS = 0xffff_ffff

function numberProblem(field: NumberKey, value: string): string | undefined {
  const number = Number(value)
  if (value === '' || Number.isNaN(number)) return 'is not a number'
  if (field === 'score') return Number.isFinite(number) ? undefined : 'is not finite'
  return number > 0 && number <= MAX_SECONDS ? undefined : 'is not a number of seconds above 0'
}
