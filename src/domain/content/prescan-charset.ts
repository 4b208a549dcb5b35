import { charsetForLabel } from './charset-label.ts'

/** How much of a document may hold the declaration of its charset. */
export const PRESCAN_BYTES = 8_192

/** The limit of the HTML standard. A `<meta>` within it counts wherever it stands, and an XML declaration ends within it. */
export const STANDARD_BYTES = 1_024

/**
 * The charset that a document declares in a `<meta>`, by the prescan algorithm of the HTML standard: comments are skipped,
 * attributes are read with their quotes, a tag that does not end within the bytes does not count. Browsers also accept a
 * `<meta>` further down, so that after the standard's 1,024 bytes the search continues up to the end of the head or 8 KB.
 */
export function prescanMetaCharset(bytes: Uint8Array): string | undefined {
  const standard = new MetaPrescan(headOf(bytes, STANDARD_BYTES), false).run()
  if (standard !== undefined || bytes.length <= STANDARD_BYTES) return standard
  return new MetaPrescan(headOf(bytes, PRESCAN_BYTES), true).run()
}

/** The charset of an XML declaration at the very start: `<?xml … encoding="…"?>`. */
export function prescanXmlCharset(bytes: Uint8Array): string | undefined {
  const declaration = /^<\?xml([^>]*)>/.exec(headOf(bytes, STANDARD_BYTES))?.[1]
  const label = declaration && /encoding[\0-\x20]*=[\0-\x20]*(?:"([^"]*)"|'([^']*)')/.exec(declaration)
  return label ? declaredCharset(label[1] ?? label[2] ?? '') : undefined
}

/** One byte, one character. */
function headOf(bytes: Uint8Array, maxBytes: number): string {
  const length = Math.min(bytes.length, maxBytes)
  return Buffer.from(bytes.buffer, bytes.byteOffset, length).toString('latin1')
}

/** A declaration that could be read byte by byte cannot be UTF-16, whatever it says. */
function declaredCharset(label: string): string | undefined {
  const charset = charsetForLabel(label)
  if (charset === 'utf-16le' || charset === 'utf-16be') return 'utf-8'
  return charset === 'x-user-defined' ? 'windows-1252' : charset
}

interface Attribute {
  readonly name: string
  readonly value: string
}

const SPACE = /[\t\n\f\r ]/
const END_OF_HEAD = /^<(?:\/head|body)[\t\n\f\r />]/i
const RAW_TEXT_START = /^<(script|style|title)[\t\n\f\r />]/i
/** `</head` or `<script`, and the character after it. */
const LONGEST_NAME = 8

class MetaPrescan {
  readonly #html: string
  readonly #headOnly: boolean
  #at = 0

  /** `headOnly` ends the search with the head, and skips the text of scripts, styles and titles. */
  constructor(html: string, headOnly: boolean) {
    this.#html = html
    this.#headOnly = headOnly
  }

  run(): string | undefined {
    for (;;) {
      const open = this.#html.indexOf('<', this.#at)
      if (open < 0) return undefined
      this.#at = open
      const start = this.#headOnly ? this.#html.slice(open, open + LONGEST_NAME) : ''
      if (END_OF_HEAD.test(start)) return undefined
      const rawText = RAW_TEXT_START.exec(start)?.[1]
      if (rawText !== undefined) this.#skipRawText(rawText)
      else if (this.#html.startsWith('<!--', open)) this.#skipPast('-->', open + 2)
      else if (/^<meta[\t\n\f\r /]/i.test(this.#html.slice(open, open + 6))) {
        this.#at = open + 5
        const charset = this.#meta()
        if (charset !== undefined) return charset
      } else if (/^<\/?[a-z]/i.test(this.#html.slice(open, open + 3))) this.#skipTag()
      else if (/^<[!/?]/.test(this.#html.slice(open, open + 2))) this.#skipPast('>', open + 1)
      else this.#at = open + 1
    }
  }

  #meta(): string | undefined {
    const seen = new Set<string>()
    let isPragma = false
    let needsPragma: boolean | undefined
    let charset: string | undefined
    for (let attribute = this.#attribute(); attribute; attribute = this.#attribute()) {
      const { name, value } = attribute
      if (seen.has(name)) continue
      seen.add(name)
      if (name === 'http-equiv') isPragma = value === 'content-type'
      else if (name === 'content' && charset === undefined) {
        charset = charsetInContent(value)
        if (charset !== undefined) needsPragma = true
      } else if (name === 'charset') {
        charset = declaredCharset(value)
        needsPragma = false
      }
    }
    const counts = needsPragma !== undefined && (isPragma || !needsPragma) && this.#at < this.#html.length
    return counts ? charset : undefined
  }

  #skipTag(): void {
    while (this.#at < this.#html.length && !/[\t\n\f\r >]/.test(this.#char())) this.#at++
    while (this.#attribute());
  }

  #skipRawText(name: string): void {
    this.#skipTag()
    const end = new RegExp(`</${name}`, 'ig')
    end.lastIndex = this.#at
    this.#at = end.exec(this.#html)?.index ?? this.#html.length
  }

  #skipPast(end: string, from: number): void {
    const found = this.#html.indexOf(end, from)
    this.#at = found < 0 ? this.#html.length : found + end.length
  }

  /** The next attribute of the tag, in lower case; `undefined` at its end or at the end of the bytes. */
  #attribute(): Attribute | undefined {
    this.#skip(/[\t\n\f\r /]/)
    if (this.#char() === '>' || this.#char() === '') return undefined
    const nameStart = this.#at
    // An equals sign in first place is part of the name.
    this.#at++
    while (this.#char() !== '' && !/[\t\n\f\r />=]/.test(this.#char())) this.#at++
    const name = this.#html.slice(nameStart, this.#at).toLowerCase()
    this.#skip(SPACE)
    if (this.#char() !== '=') return { name, value: '' }
    this.#at++
    this.#skip(SPACE)
    return { name, value: this.#value().toLowerCase() }
  }

  #value(): string {
    const quote = this.#char()
    if (quote === '"' || quote === "'") {
      const start = this.#at + 1
      const end = this.#html.indexOf(quote, start)
      this.#at = end < 0 ? this.#html.length : end + 1
      return end < 0 ? '' : this.#html.slice(start, end)
    }
    const start = this.#at
    while (this.#char() !== '' && !/[\t\n\f\r >]/.test(this.#char())) this.#at++
    return this.#html.slice(start, this.#at)
  }

  #skip(what: RegExp): void {
    while (this.#char() !== '' && what.test(this.#char())) this.#at++
  }

  #char(): string {
    return this.#html.charAt(this.#at)
  }
}

/** `text/html; charset=x`: what a `content` attribute says. */
function charsetInContent(content: string): string | undefined {
  const found =
    /charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^"'\t\n\f\r ;][^\t\n\f\r ;]*))/.exec(content)
  return found ? declaredCharset(found[1] ?? found[2] ?? found[3] ?? '') : undefined
}
