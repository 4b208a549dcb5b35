import { charsetForLabel, decoderFor } from '../charset-label.ts'
import { DocumentProperties } from './document-properties.ts'
import { DocumentError, type DocumentLimits, type DocumentReader } from './document-reader.ts'
import { DocumentText } from './document-text.ts'
import { fieldLink } from './field-link.ts'

/** RTF: groups of control words and text. Pictures, fonts, styles and other destinations are passed over. */
export const readRtf: DocumentReader = ({ bytes }, limits) => {
  const rtf = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  if (!rtf.startsWith('{\\rtf')) throw new DocumentError('broken', 'the file does not start with {\\rtf')
  return new RtfReader(rtf, limits).read()
}

/** A group in braces. Its settings end with it. */
interface Group {
  /** Where its text goes. */
  destination: 'text' | 'skipped' | 'field' | Property
  /** Characters that stand for one Unicode character, after it. */
  fallbackChars: number
}

type Property = 'title' | 'author' | 'keywords' | 'subject' | 'description'

/** Destinations that are read; all others after `\*`, and those of `SKIPPED`, are passed over. */
const PROPERTIES: ReadonlyMap<string, Property> = new Map([
  ['title', 'title'],
  ['author', 'author'],
  ['keywords', 'keywords'],
  ['subject', 'subject'],
  ['doccomm', 'description'],
])
const SKIPPED: ReadonlySet<string> = new Set(
  `fonttbl colortbl stylesheet info pict object header headerl headerr headerf footer footerl footerr footerf
  themedata colorschememapping datastore latentstyles listtable listoverridetable rsidtbl generator xmlnstbl
  filetbl revtbl pgptbl operator company creatim revtim printim buptim template bkmkstart bkmkend nonshppict`.split(
    /\s+/,
  ),
)
const SPECIAL: ReadonlyMap<string, string> = new Map([
  ['emdash', '—'],
  ['endash', '–'],
  ['bullet', '•'],
  ['lquote', '‘'],
  ['rquote', '’'],
  ['ldblquote', '“'],
  ['rdblquote', '”'],
])
const SEPARATORS: ReadonlyMap<string, '\t' | '\n'> = new Map([
  ['par', '\n'],
  ['line', '\n'],
  ['sect', '\n'],
  ['page', '\n'],
  ['row', '\n'],
  ['tab', '\t'],
  ['cell', '\t'],
  ['nestcell', '\t'],
])
/** Deeper groups are read as if they belonged to the last one. */
const MAX_DEPTH = 1_000

class RtfReader {
  readonly #rtf: string
  readonly #text: DocumentText
  readonly #properties = new DocumentProperties()
  readonly #groups: Group[] = []
  #group: Group = { destination: 'text', fallbackChars: 1 }
  #overDepth = 0
  #charset = 'windows-1252'
  /** Bytes of a legacy charset, which may have several per character. */
  #bytes: number[] = []
  #collected = ''
  /** Characters to pass over after a Unicode character. */
  #fallback = 0
  #isIgnorable = false

  constructor(rtf: string, limits: DocumentLimits) {
    this.#rtf = rtf
    this.#text = new DocumentText(limits)
  }

  read() {
    const rtf = this.#rtf
    for (let at = 0; at < rtf.length; ) {
      const char = rtf.charAt(at)
      if (char === '\\') at = this.#control(at + 1)
      else {
        if (char === '{') this.#open()
        else if (char === '}') this.#close()
        else if (char !== '\r' && char !== '\n') {
          at = this.#plain(at)
          continue
        }
        at++
      }
    }
    this.#flushBytes()
    return { ...this.#properties.properties(), ...this.#text.content() }
  }

  /** Plain text up to the next control. */
  #plain(at: number): number {
    PLAIN.lastIndex = at
    const run = PLAIN.exec(this.#rtf)?.[0] ?? ''
    const skipped = Math.min(this.#fallback, run.length)
    this.#fallback -= skipped
    for (let i = skipped; i < run.length; i++) {
      if (run.charCodeAt(i) >= 0x80) this.#bytes.push(run.charCodeAt(i))
      else {
        // Runs of ASCII are added at once.
        const end = endOfAscii(run, i)
        this.#add(run.slice(i, end))
        i = end - 1
      }
    }
    return at + run.length
  }

  /** A control word, symbol or byte after a backslash. Returns the position after it. */
  #control(at: number): number {
    CONTROL.lastIndex = at
    const match = CONTROL.exec(this.#rtf)
    if (match === null) return this.#symbol(at)
    const [whole, word = '', number] = match
    this.#word(word, number === undefined ? undefined : Number(number))
    const end = at + whole.length
    // Binary data may contain anything.
    return word === 'bin' ? end + Math.max(0, Number(number ?? 0)) : end
  }

  #symbol(at: number): number {
    const char = this.#rtf.charAt(at)
    if (char === "'") {
      const byte = Number.parseInt(this.#rtf.slice(at + 1, at + 3), 16)
      if (this.#fallback > 0) this.#fallback--
      else if (!Number.isNaN(byte)) this.#bytes.push(byte)
      return at + 3
    }
    if (char === '*') this.#isIgnorable = true
    else if (char === '~') this.#add(' ')
    else if (char === '_') this.#add('-')
    else if (char === '\n' || char === '\r') this.#separate('\n')
    else if (char === '\\' || char === '{' || char === '}') this.#add(char)
    return at + 1
  }

  #word(word: string, number: number | undefined): void {
    const ignorable = this.#isIgnorable
    this.#isIgnorable = false
    const special = SPECIAL.get(word)
    const separator = SEPARATORS.get(word)
    if (word === 'u') this.#unicode(number ?? 0)
    else if (word === 'uc') this.#group.fallbackChars = Math.max(0, number ?? 1)
    else if (word === 'ansicpg') this.#useCodePage(number ?? 1252)
    else if (separator !== undefined) this.#separate(separator)
    else if (special !== undefined) this.#add(special)
    else this.#destination(word, ignorable)
  }

  #destination(word: string, ignorable: boolean): void {
    const property = PROPERTIES.get(word)
    if (word === 'fldinst') this.#group.destination = 'field'
    else if (property !== undefined && this.#group.destination === 'skipped') {
      this.#flushBytes()
      this.#collected = ''
      this.#group.destination = property
    } else if (ignorable || SKIPPED.has(word)) {
      this.#flushBytes()
      this.#group.destination = 'skipped'
    }
  }

  #unicode(number: number): void {
    this.#flushBytes()
    this.#add(String.fromCharCode(number & 0xffff))
    this.#fallback = this.#group.fallbackChars
  }

  #open(): void {
    this.#flushBytes()
    this.#fallback = 0
    if (this.#groups.length >= MAX_DEPTH) {
      this.#overDepth++
      return
    }
    this.#groups.push(this.#group)
    this.#group = { ...this.#group }
    if (this.#group.destination === 'field') this.#collected = ''
  }

  #close(): void {
    this.#flushBytes()
    this.#fallback = 0
    this.#isIgnorable = false
    if (this.#overDepth > 0) {
      this.#overDepth--
      return
    }
    const { destination } = this.#group
    this.#group = this.#groups.pop() ?? { destination: 'text', fallbackChars: 1 }
    if (destination === 'field') {
      const href = fieldLink(this.#collected)
      if (href !== undefined) this.#text.link(href)
      this.#collected = ''
    } else if (
      destination !== 'text' &&
      destination !== 'skipped' &&
      this.#group.destination !== destination
    ) {
      this.#properties.set(destination, this.#collected)
      this.#collected = ''
    }
  }

  #useCodePage(page: number): void {
    this.#flushBytes()
    const label = CODE_PAGES.get(page) ?? `windows-${page}`
    // For a code page without a decoder, the characters of windows-1252 are the best guess.
    this.#charset = charsetForLabel(label) ?? 'windows-1252'
  }

  #flushBytes(): void {
    if (this.#bytes.length === 0) return
    const text = decoderFor(this.#charset).decode(Uint8Array.from(this.#bytes))
    this.#bytes = []
    this.#put(text)
  }

  #add(text: string): void {
    this.#flushBytes()
    this.#put(text)
  }

  #put(text: string): void {
    const { destination } = this.#group
    if (destination === 'text') this.#text.add(text)
    else if (destination !== 'skipped' && this.#collected.length < MAX_COLLECTED_CHARS)
      this.#collected += text
  }

  #separate(separator: '\t' | '\n'): void {
    this.#flushBytes()
    if (this.#group.destination === 'text') this.#text.separate(separator)
  }
}

const MAX_COLLECTED_CHARS = 8_192
const CONTROL = /([a-zA-Z]{1,32})(-?\d{1,10})? ?/y
const PLAIN = /[^\\{}\r\n]+/y

function endOfAscii(run: string, from: number): number {
  let end = from
  while (end < run.length && run.charCodeAt(end) < 0x80) end++
  return end
}

const CODE_PAGES: ReadonlyMap<number, string> = new Map([
  [932, 'shift_jis'],
  [936, 'gbk'],
  [949, 'euc-kr'],
  [950, 'big5'],
  [874, 'windows-874'],
  [866, 'ibm866'],
  [10_000, 'macintosh'],
  [10_007, 'x-mac-cyrillic'],
  [65_001, 'utf-8'],
])
