/** Told what is in an XML document, in order. Names are in lower case, with their prefix. */
export interface XmlHandler {
  /** `attributes` is the text after the name, to be read with `xmlAttribute`. `<a/>` is an open and a close. */
  open(name: string, attributes: string): void
  close(name: string): void
  text(text: string): void
}

/** What is held of one tag; a longer one is dropped. */
const MAX_TAG_CHARS = 65_536
/** What is held of one piece of text or CDATA; the rest of a longer one is dropped. */
const MAX_TEXT_CHARS = 65_536

type State = 'text' | 'mark' | 'tag' | 'comment' | 'cdata' | 'instruction' | 'doctype'

/**
 * Reads XML of any quality, in chunks cut anywhere, in linear time and without a stack: it balances nothing and never
 * throws. A doctype is skipped whole, so there are no entities to expand but the five of XML and numbers.
 */
export class XmlTokenizer {
  readonly #handler: XmlHandler
  #state: State = 'text'
  /** What was read of the current token, up to its limit. */
  #held = ''
  /** How long the current token is, with what was not held. */
  #length = 0
  /** In a tag: the quote that is open. */
  #quote = ''
  /** In a comment, CDATA or instruction: how much of its end was seen. */
  #matched = 0
  /** In a doctype: before, inside or just after its `[…]`. */
  #subset: 'before' | 'inside' | 'after' = 'before'

  constructor(handler: XmlHandler) {
    this.#handler = handler
  }

  push(chunk: string): void {
    for (let at = 0; at < chunk.length; ) at = this.#step(chunk, at)
  }

  /**
   * Hands over the last text. An opening tag that was cut is dropped. A closing tag that was cut closes its element, with
   * as much of its name as there is: what stood before it is complete.
   */
  end(): void {
    if (this.#state === 'text') this.#endText()
    else if (this.#state === 'cdata') this.#emitText(this.#held)
    else if (this.#state === 'tag' && this.#held.startsWith('/')) this.#handler.close(nameOf(this.#held, 1))
    this.#enter('text')
  }

  /** Reads on from `at` and returns where the next step begins, always further on unless the state changed. */
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

  #enter(state: State): void {
    this.#state = state
    this.#held = ''
    this.#length = 0
    this.#quote = ''
    this.#matched = 0
    this.#subset = 'before'
  }

  #hold(chunk: string, from: number, to: number, maxChars: number): void {
    const room = maxChars - this.#held.length
    if (room > 0) this.#held += chunk.slice(from, Math.min(to, from + room))
    this.#length += to - from
  }

  #readText(chunk: string, at: number): number {
    const open = chunk.indexOf('<', at)
    this.#hold(chunk, at, open < 0 ? chunk.length : open, MAX_TEXT_CHARS)
    if (open < 0) return chunk.length
    this.#endText()
    this.#enter('mark')
    return open + 1
  }

  #endText(): void {
    this.#emitText(decodeXmlText(this.#held))
  }

  #emitText(text: string): void {
    if (text !== '') this.#handler.text(text)
  }

  /** After a `<`: finds out what it opens. */
  #readMark(chunk: string, at: number): number {
    const mark = this.#held + chunk.charAt(at)
    if (mark === '!--') this.#enter('comment')
    else if (mark === '![CDATA[') this.#enter('cdata')
    else if (mark === '?') this.#enter('instruction')
    else if ('!--'.startsWith(mark) || '![CDATA['.startsWith(mark)) this.#held = mark
    else {
      // This character belongs to what was opened.
      this.#enter(mark.startsWith('!') ? 'doctype' : 'tag')
      return at
    }
    return at + 1
  }

  #readTag(chunk: string, at: number): number {
    let i = at
    let end = ''
    for (; i < chunk.length && end === ''; i++) {
      const char = chunk.charAt(i)
      if (this.#quote !== '') {
        if (char === this.#quote) this.#quote = ''
      } else if (char === '>' || char === '<') end = char
      else if (char === '"' || char === "'") this.#quote = char
      if (this.#length + i - at >= MAX_TAG_CHARS) {
        this.#enter('text')
        return i + 1
      }
    }
    this.#hold(chunk, at, end === '' ? i : i - 1, MAX_TAG_CHARS)
    if (end === '') return i
    this.#emitTag(this.#held)
    // A `<` inside a tag: the tag was never closed, and this opens the next.
    this.#enter(end === '<' ? 'mark' : 'text')
    return i
  }

  #emitTag(tag: string): void {
    if (tag.startsWith('/')) {
      const name = nameOf(tag, 1)
      if (name !== '') this.#handler.close(name)
      return
    }
    const name = nameOf(tag, 0)
    if (name === '') return
    const selfClosing = tag.endsWith('/')
    this.#handler.open(name, tag.slice(name.length, selfClosing ? -1 : undefined))
    if (selfClosing) this.#handler.close(name)
  }

  /** `end` is one character, once or twice, and a `>`: a mismatch on that character leaves the match as it is. */
  #readUntil(end: string, chunk: string, at: number): number {
    let i = at
    while (i < chunk.length && this.#matched < end.length) {
      const char = chunk.charAt(i++)
      if (char === end.charAt(this.#matched)) this.#matched++
      else if (char !== end.charAt(0)) this.#matched = 0
    }
    const isText = this.#state === 'cdata'
    if (isText) this.#hold(chunk, at, i, MAX_TEXT_CHARS)
    if (this.#matched < end.length) return i
    if (isText) this.#emitText(this.#held.slice(0, Math.max(0, this.#length - end.length)))
    this.#enter('text')
    return i
  }

  /** Ends at `>`, or at `]` and `>` when it has a subset. One inside a quoted value ends it too early: only text is left. */
  #readDoctype(chunk: string, at: number): number {
    for (let i = at; i < chunk.length; i++) {
      const char = chunk.charAt(i)
      if (char === '>' && this.#subset !== 'inside') {
        this.#enter('text')
        return i + 1
      }
      if (this.#subset === 'before') {
        if (char === '[') this.#subset = 'inside'
      } else if (char === ']') this.#subset = 'after'
      else if (char.charCodeAt(0) > 0x20) this.#subset = 'inside'
    }
    return chunk.length
  }
}

function nameOf(tag: string, from: number): string {
  let end = from
  while (end < tag.length && tag.charCodeAt(end) > 0x20 && tag.charAt(end) !== '/') end++
  return tag.slice(from, end).toLowerCase()
}

const REFERENCE = /&(?:#(\d{1,8})|#x([\da-f]{1,8})|(amp|lt|gt|quot|apos));/gi
const NAMED: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
])

/** Undoes the five entities of XML and numeric references, once; every other `&…;` stays as it is. */
function decodeXmlText(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(REFERENCE, (_, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return NAMED.get(name.toLowerCase()) ?? ''
    return characterOf(decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal))
  })
}

/** The value of the attribute `name` (lower case) in what `XmlHandler.open` was given, decoded. */
export function xmlAttribute(attributes: string, name: string): string | undefined {
  let at = 0
  while (at < attributes.length) {
    at = skip(attributes, at, (char) => char <= ' ' || char === '/')
    const nameEnd = skip(attributes, at, (char) => char > ' ' && char !== '=')
    const found = attributes.slice(at, nameEnd).toLowerCase() === name
    const equals = skip(attributes, nameEnd, (char) => char <= ' ')
    if (attributes.charAt(equals) !== '=') {
      at = equals
      continue
    }
    const start = skip(attributes, equals + 1, (char) => char <= ' ')
    const quote = attributes.charAt(start)
    const quoted = quote === '"' || quote === "'"
    const end = quoted
      ? skip(attributes, start + 1, (char) => char !== quote)
      : skip(attributes, start, (char) => char > ' ')
    if (found) return decodeXmlText(attributes.slice(quoted ? start + 1 : start, end))
    at = quoted ? end + 1 : end
  }
  return undefined
}

function skip(text: string, from: number, while_: (char: string) => boolean): number {
  let at = from
  while (at < text.length && while_(text.charAt(at))) at++
  return at
}

/** What cannot be a character (zero, surrogates, beyond Unicode) becomes U+FFFD. */
function characterOf(code: number): string {
  const valid = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
  return valid ? String.fromCodePoint(code) : '\ufffd'
}
