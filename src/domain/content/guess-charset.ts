import { isUtf8 } from 'node:buffer'
import { createDecoder } from './charset-label.ts'
import { guessSingleByte } from './guess-single-byte.ts'

/** How much of a text is decoded to see what it could be. */
const SAMPLE_BYTES = 16_384
/** How much of a text is counted: the letters that tell two charsets of one language apart are few. */
const COUNTED_BYTES = 131_072

/** Fewer characters than this prove nothing about a language. */
const MIN_EVIDENCE = 8

/**
 * The likeliest charset of bytes that declare none. UTF-8 proves itself; UTF-16 shows by where its zeros are; the older
 * charsets by whether their most common characters are common here. Everything else is windows-1252.
 */
export function guessCharset(bytes: Uint8Array): string {
  const utf16 = utf16ByZeros(bytes.subarray(0, SAMPLE_BYTES))
  if (utf16 !== undefined) return utf16
  if (isUtf8(withoutCutCharacter(bytes))) return hasJisEscape(bytes) ? 'iso-2022-jp' : 'utf-8'
  // Long scripts and menus in ASCII say nothing about the text that follows them.
  const start = firstHighByte(bytes)
  const sample = bytes.subarray(start, start + SAMPLE_BYTES)
  if (isMostlyUtf8(sample)) return 'utf-8'
  return (
    multiByteCharset(wholeCharacters(sample)) ?? guessSingleByte(bytes.subarray(start, start + COUNTED_BYTES))
  )
}

function firstHighByte(bytes: Uint8Array): number {
  let at = 0
  while ((bytes[at] ?? 0x80) < 0x80) at++
  return at
}

/** A page of UTF-8 with a few broken bytes, such as a title that was cut or one comment from elsewhere. */
function isMostlyUtf8(sample: Uint8Array): boolean {
  const text = Buffer.from(sample.buffer, sample.byteOffset, sample.length).toString('utf8')
  const high = text.match(/[^\0-\x7f]/gu)?.length ?? 0
  const broken = text.match(/\ufffd/g)?.length ?? 0
  return high - broken >= MIN_EVIDENCE && broken * 20 <= high
}

/** Text in UTF-16 that has any Latin letters, digits, spaces or tags has zeros on one side and hardly any on the other. */
function utf16ByZeros(sample: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (!sample.includes(0)) return undefined
  let even = 0
  let odd = 0
  for (let i = 0; i < sample.length; i++) {
    if (sample[i] !== 0) continue
    if (i % 2 === 0) even++
    else odd++
  }
  const units = sample.length / 2
  if (odd > units * 0.4 && even < units * 0.05) return 'utf-16le'
  if (even > units * 0.4 && odd < units * 0.05) return 'utf-16be'
  return undefined
}

/** A body cut by a size limit may end inside a character; that does not make it something else than UTF-8. */
function withoutCutCharacter(bytes: Uint8Array): Uint8Array {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) break
    if (byte < 0xc0) continue
    const length = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4
    return length > back ? bytes.subarray(0, bytes.length - back) : bytes
  }
  return bytes
}

/** `ESC $ B` or `ESC $ @`: the switch to Japanese characters. */
function hasJisEscape(bytes: Uint8Array): boolean {
  for (let at = bytes.indexOf(0x1b); at >= 0; at = bytes.indexOf(0x1b, at + 1)) {
    if (bytes[at + 1] === 0x24 && (bytes[at + 2] === 0x42 || bytes[at + 2] === 0x40)) return true
  }
  return false
}

/** Up to the last ASCII byte, so that no two-byte character is cut. */
function wholeCharacters(sample: Uint8Array): Uint8Array {
  const last = sample.findLastIndex((byte) => byte < 0x40)
  return last < 0 ? sample : sample.subarray(0, last + 1)
}

/** Letters outside ASCII. The half-width katakana are left out: they are what other charsets look like as Shift_JIS. */
const WIDE_LETTER = /(?![\0-\x7f\uff61-\uff9f])\p{L}/gu
const KANA = /[\u3041-\u30ff]/g
const HANGUL = /[\uac00-\ud7a3]/g

/** In this order: Japanese has its kana, Korean its Hangul; both are rare when Chinese is read by mistake. */
function multiByteCharset(sample: Uint8Array): string | undefined {
  for (const [charset, letters, share] of [
    ['euc-jp', KANA, 0.2],
    ['shift_jis', KANA, 0.2],
    ['euc-kr', HANGUL, 0.8],
  ] as const) {
    const text = decodeStrictly(sample, charset)
    const all = text?.match(WIDE_LETTER)?.length ?? 0
    if (all >= MIN_EVIDENCE && (text?.match(letters)?.length ?? 0) >= all * share) return charset
  }
  return chineseCharset(sample)
}

/**
 * The most common characters have rows of their own: 0xB0 to 0xD7 in GBK (second byte high), 0xA4 to 0xC6 in Big5. The rows
 * before them hold punctuation and prove nothing.
 */
function chineseCharset(sample: Uint8Array): 'gbk' | 'big5' | undefined {
  const gbk = { pairs: 0, common: 0 }
  const big5 = { pairs: 0, common: 0 }
  for (let i = 0; i < sample.length; i++) {
    const lead = sample[i] ?? 0
    if (lead < 0x80) continue
    const trail = sample[++i] ?? 0
    if (isDigit(trail)) {
      // The first half of a four-byte sequence of GB18030: a rare character.
      i += 2
      continue
    }
    if (lead >= 0xaa) gbk.pairs++
    if (lead >= 0xa4) big5.pairs++
    if (lead >= 0xb0 && lead <= 0xd7 && trail >= 0xa1) gbk.common++
    if (lead >= 0xa4 && lead <= 0xc6 && ((trail >= 0x40 && trail <= 0x7e) || trail >= 0xa1)) big5.common++
  }
  const isLikely = ({ pairs, common }: typeof gbk) => pairs >= MIN_EVIDENCE && common >= pairs * 0.75
  if (isLikely(gbk) && decodeStrictly(sample, 'gbk') !== undefined) return 'gbk'
  if (isLikely(big5) && decodeStrictly(sample, 'big5') !== undefined) return 'big5'
  return undefined
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39
}

function decodeStrictly(sample: Uint8Array, charset: string): string | undefined {
  try {
    return createDecoder(charset, { fatal: true }).decode(sample)
  } catch {
    return undefined
  }
}
