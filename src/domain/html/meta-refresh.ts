import { isDigit, isSpace } from './characters.ts'

const APOSTROPHE = 0x27
const QUOTE = 0x22

/** A redirect by `<meta http-equiv="refresh">`. */
export interface MetaRefresh {
  /** Delay before the redirect. */
  readonly seconds: number
  /** Not resolved; `undefined` means the page itself. */
  readonly url: string | undefined
}

/** Reads the `content` of `<meta http-equiv="refresh">` as browsers do; `undefined` when they would ignore it. */
export function parseMetaRefresh(content: string): MetaRefresh | undefined {
  let pos = skipWhile(content, 0, isSpace)
  const numberStart = pos
  pos = skipWhile(content, pos, isDigit)
  // A fraction may stand alone (`.5`) and counts as nothing.
  if (pos === numberStart && content[pos] !== '.') return undefined
  const seconds = Number(content.slice(numberStart, pos))
  pos = skipWhile(content, pos, (c) => isDigit(c) || c === 0x2e)
  if (pos === content.length) return { seconds, url: undefined }

  const afterNumber = pos
  pos = skipWhile(content, pos, isSpace)
  if (content[pos] === ';' || content[pos] === ',') pos++
  else if (pos === afterNumber) return undefined
  pos = skipWhile(content, pos, isSpace)
  return { seconds, url: target(content, pos) }
}

function target(content: string, start: number): string | undefined {
  let pos = start
  if (content.slice(pos, pos + 3).toLowerCase() === 'url') {
    const afterWord = skipWhile(content, pos + 3, isSpace)
    if (content[afterWord] === '=') pos = skipWhile(content, afterWord + 1, isSpace)
  }
  const quote = content.charCodeAt(pos)
  let end = content.length
  if (quote === QUOTE || quote === APOSTROPHE) {
    pos++
    const close = content.indexOf(String.fromCharCode(quote), pos)
    if (close !== -1) end = close
  }
  const url = content.slice(pos, end).trim()
  return url === '' ? undefined : url
}

function skipWhile(text: string, pos: number, accepts: (c: number) => boolean): number {
  while (pos < text.length && accepts(text.charCodeAt(pos))) pos++
  return pos
}
