/** Receives the parts of an XML document, in order. Names are as written, with their prefix. */
export interface XmlHandler {
  /** `attributes` is the text after the name, for `xmlAttribute` and `xmlAttributes`. `<a/>` is an open and a close. */
  open(name: string, attributes: string): void
  close(name: string): void
  /** Decoded text, or the content of a CDATA section. Text may come in several parts. */
  text(text: string): void
  comment?(text: string): void
  /** A processing instruction without its brackets and last `?` (`?xml version="1.0"`), or a doctype (`!DOCTYPE a`). */
  instruction?(text: string): void
}

export interface XmlOptions {
  /** Maximum length of a tag, a text, a CDATA section or a comment. A longer tag is dropped, the others are truncated. @default 65536 */
  readonly maxTokenChars?: number
}

type State = 'text' | 'mark' | 'tag' | 'comment' | 'cdata' | 'instruction' | 'doctype'

const SPACE = 0x20
const DOUBLE_QUOTE = 0x22
const SINGLE_QUOTE = 0x27
const LT = 0x3c
const EQUALS = 0x3d
const GT = 0x3e

/**
 * Reads XML of any quality, in chunks cut anywhere, in linear time and without a stack: it does not match end tags with start tags and
 * never throws. Entities that a doctype declares are not expanded, only the five of XML and numeric references.
 */
export class XmlTokenizer {
  readonly #handler: XmlHandler
  readonly #maxTokenChars: number
  #state: State = 'text'
  /** The current token, up to its limit. */
  #held = ''
  /** The length of the current token, including the part that is not held. */
  #length = 0
  /** In a tag: the quote that is open, 0 if none is. */
  #quote = 0
  /** In a tag: the last character that is not white space. A quote opens a value only after `=`. */
  #previous = 0
  /** In a comment, CDATA section or instruction: how much of its end was read. */
  #matched = 0
  /** In a doctype: before, inside or just after its `[…]`. */
  #subset: 'before' | 'inside' | 'after' = 'before'

  constructor(handler: XmlHandler, { maxTokenChars = 65_536 }: XmlOptions = {}) {
    this.#handler = handler
    this.#maxTokenChars = maxTokenChars
  }

  push(chunk: string): void {
    for (let at = 0; at < chunk.length; ) at = this.#step(chunk, at)
  }

  /**
   * Hands over the last text or comment. An opening tag that was cut is dropped. A closing tag that was cut closes its
   * element, with as much of its name as there is, because the text before it is complete.
   */
  end(): void {
    if (this.#state === 'text') this.#endText()
    else if (this.#state === 'cdata') this.#handler.text(this.#held)
    else if (this.#state === 'comment') this.#handler.comment?.(this.#held)
    else if (this.#state === 'tag' && this.#held.startsWith('/')) this.#handler.close(nameOf(this.#held, 1))
    this.#enter('text')
  }

  /** Reads on from `at` and returns the position of the next step, always further on unless the state changed. */
  #step(chunk: string, at: number): number {
    switch (this.#state) {
      case 'text':
        return this.#readText(chunk, at)
      case 'mark':
        return this.#readMark(chunk, at)
      case 'tag':
        return this.#readTag(chunk, at)
      case 'comment':
        return this.#readUntil('-->', chunk, at)
      case 'cdata':
        return this.#readUntil(']]>', chunk, at)
      case 'instruction':
        return this.#readUntil('?>', chunk, at)
      case 'doctype':
        return this.#readDoctype(chunk, at)
    }
  }

  /** `held` is the part of the new token that was already read. */
  #enter(state: State, held = ''): void {
    this.#state = state
    this.#held = held
    this.#length = held.length
    this.#quote = 0
    this.#previous = 0
    this.#matched = 0
    this.#subset = 'before'
  }

  #hold(chunk: string, from: number, to: number): void {
    const room = this.#maxTokenChars - this.#held.length
    if (room > 0) this.#held += chunk.slice(from, Math.min(to, from + room))
    this.#length += to - from
  }

  #readText(chunk: string, at: number): number {
    const open = chunk.indexOf('<', at)
    this.#hold(chunk, at, open < 0 ? chunk.length : open)
    if (open < 0) return chunk.length
    this.#endText()
    this.#enter('mark')
    return open + 1
  }

  #endText(): void {
    if (this.#held !== '') this.#handler.text(decodeXmlText(this.#held))
  }

  /** After a `<`: decides what it opens. */
  #readMark(chunk: string, at: number): number {
    const mark = this.#held + chunk.charAt(at)
    if (mark === '!--') this.#enter('comment')
    else if (mark === '![CDATA[') this.#enter('cdata')
    else if (mark === '?') this.#enter('instruction', mark)
    else if ('!--'.startsWith(mark) || '![CDATA['.startsWith(mark)) this.#held = mark
    else {
      // This character belongs to the token. A `<` before white space (`1 < 2`) is text.
      if (mark.startsWith('!')) this.#enter('doctype', this.#held)
      else if (mark <= ' ') this.#enter('text', '<')
      else this.#enter('tag')
      return at
    }
    return at + 1
  }

  #readTag(chunk: string, at: number): number {
    const stop = Math.min(chunk.length, at + this.#maxTokenChars - this.#length)
    let i = at
    let c = 0
    for (; i < stop; i++) {
      c = chunk.charCodeAt(i)
      if (this.#quote !== 0) {
        if (c === this.#quote) this.#quote = 0
      } else if (c === GT || c === LT) break
      else if ((c === DOUBLE_QUOTE || c === SINGLE_QUOTE) && this.#previous === EQUALS) this.#quote = c
      if (c > SPACE) this.#previous = c
    }
    this.#hold(chunk, at, i)
    if (i === stop) {
      if (this.#length >= this.#maxTokenChars) this.#enter('text')
      return i
    }
    this.#emitTag(this.#held)
    // A `<` inside a tag: the tag was never closed, and this opens the next.
    this.#enter(c === LT ? 'mark' : 'text')
    return i + 1
  }

  #emitTag(tag: string): void {
    if (tag.startsWith('/')) {
      const name = nameOf(tag, 1)
      if (name !== '') this.#handler.close(name)
      return
    }
    const name = nameOf(tag, 0)
    if (name === '') return
    const trimmed = tag.trimEnd()
    const selfClosing = trimmed.endsWith('/')
    this.#handler.open(name, trimmed.slice(name.length, selfClosing ? -1 : undefined))
    if (selfClosing) this.#handler.close(name)
  }

  /** `end` is one character, once or twice, and a `>`: a mismatch on that character leaves the match as it is. */
  #readUntil(end: string, chunk: string, at: number): number {
    const first = end.charAt(0)
    let i = at
    while (i < chunk.length && this.#matched < end.length) {
      if (this.#matched === 0) {
        i = chunk.indexOf(first, i)
        if (i < 0) i = chunk.length
      }
      const char = chunk.charAt(i++)
      if (char === end.charAt(this.#matched)) this.#matched++
      else if (char !== first) this.#matched = 0
    }
    i = Math.min(i, chunk.length)
    this.#hold(chunk, at, i)
    if (this.#matched < end.length) return i
    const text = this.#held.slice(0, this.#length - end.length)
    if (this.#state === 'cdata') this.#handler.text(text)
    else if (this.#state === 'comment') this.#handler.comment?.(text)
    else this.#handler.instruction?.(text)
    this.#enter('text')
    return i
  }

  /** Ends at `>`, or at `]` and `>` when it has a subset. One inside a quoted value ends it too early: only text is left. */
  #readDoctype(chunk: string, at: number): number {
    for (let i = at; i < chunk.length; i++) {
      const char = chunk.charAt(i)
      if (char === '>' && this.#subset !== 'inside') {
        this.#hold(chunk, at, i)
        this.#handler.instruction?.(this.#held)
        this.#enter('text')
        return i + 1
      }
      if (this.#subset === 'before') {
        if (char === '[') this.#subset = 'inside'
      } else if (char === ']') this.#subset = 'after'
      else if (char.charCodeAt(0) > SPACE) this.#subset = 'inside'
    }
    this.#hold(chunk, at, chunk.length)
    return chunk.length
  }
}

function nameOf(tag: string, from: number): string {
  let end = from
  while (end < tag.length && tag.charCodeAt(end) > SPACE && tag.charAt(end) !== '/') end++
  return tag.slice(from, end)
}

/** The value of the attribute `name` (lower case; matches any case) in the text that `XmlHandler.open` got, decoded. */
export function xmlAttribute(attributes: string, name: string): string | undefined {
  ATTRIBUTE.lastIndex = 0
  while (ATTRIBUTE.lastIndex < attributes.length) {
    const [, found, double, single, bare] = ATTRIBUTE.exec(attributes) ?? []
    const value = double ?? single ?? bare
    if (value !== undefined && found?.toLowerCase() === name) return decodeXmlText(value)
  }
  return undefined
}

/** All of them, by their names as written. Of two with one name the first counts; one without a value is empty. */
export function xmlAttributes(attributes: string): Map<string, string> {
  const values = new Map<string, string>()
  ATTRIBUTE.lastIndex = 0
  while (ATTRIBUTE.lastIndex < attributes.length) {
    const [, name = '', double, single, bare] = ATTRIBUTE.exec(attributes) ?? []
    if (name !== '' && !values.has(name)) values.set(name, decodeXmlText(double ?? single ?? bare ?? ''))
  }
  return values
}

/** Matches at every position, and at least one character of what is left. */
const ATTRIBUTE = /[\s/]*([^\s=/]*)\s*(?:=\s*(?:"([^"]*)"?|'([^']*)'?|(\S*)))?/y

const REFERENCE = /&(?:#(\d+)|#x([\da-f]+)|(amp|lt|gt|quot|apos));/gi
const NAMED: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
])

/** Decodes the five entities of XML and numeric references, once; every other `&…;` stays as it is. */
function decodeXmlText(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(REFERENCE, (_, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return NAMED.get(name.toLowerCase()) ?? ''
    return characterOf(decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal))
  })
}

/** U+FFFD for a number that cannot be a character: zero, a surrogate, beyond Unicode. */
function characterOf(code: number): string {
  const valid = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
  return valid ? String.fromCodePoint(code) : '\ufffd'
}
