import { isUtf8 } from 'node:buffer'
import { createDecoder } from './charset-label.ts'

/** How much of a text is looked at when its bytes are counted. */
const SAMPLE_BYTES = 16_384

/** Fewer characters than this prove nothing about a language. */
const MIN_EVIDENCE = 8

/**
 * The likeliest charset of bytes that declare none. UTF-8 proves itself; UTF-16 shows by where its zeros are; the older
 * Asian and Cyrillic charsets by whether their commonest characters are common here. Everything else is windows-1252.
 */
export function guessCharset(bytes: Uint8Array): string {
  const sample = bytes.subarray(0, SAMPLE_BYTES)
  const utf16 = utf16ByZeros(sample)
  if (utf16 !== undefined) return utf16
  if (isUtf8(withoutCutCharacter(bytes))) return hasJisEscape(sample) ? 'iso-2022-jp' : 'utf-8'
  return multiByteCharset(wholeCharacters(sample)) ?? cyrillicCharset(sample) ?? 'windows-1252'
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
function hasJisEscape(sample: Uint8Array): boolean {
  for (let at = sample.indexOf(0x1b); at >= 0; at = sample.indexOf(0x1b, at + 1)) {
    if (sample[at + 1] === 0x24 && (sample[at + 2] === 0x42 || sample[at + 2] === 0x40)) return true
  }
  return false
}

/** Up to the last ASCII byte, so that no two-byte character is cut. */
function wholeCharacters(sample: Uint8Array): Uint8Array {
  const last = sample.findLastIndex((byte) => byte < 0x40)
  return last < 0 ? sample : sample.subarray(0, last + 1)
}

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
    const others = text?.match(/[^\0-\x7f\u3000-\u303f\uff00-\uffef]/g)?.length ?? 0
    if (others >= MIN_EVIDENCE && (text?.match(letters)?.length ?? 0) >= others * share) return charset
  }
  return chineseCharset(sample)
}

/** The commonest characters have their own rows: 0xB0 to 0xD7 in GBK (second byte high), 0xA4 to 0xC6 in Big5. */
function chineseCharset(sample: Uint8Array): 'gbk' | 'big5' | undefined {
  let pairs = 0
  let gbk = 0
  let big5 = 0
  for (let i = 0; i < sample.length; i++) {
    const lead = sample[i] ?? 0
    if (lead < 0x80) continue
    const trail = sample[++i] ?? 0
    pairs++
    if (lead >= 0xb0 && lead <= 0xd7 && trail >= 0xa1) gbk++
    if (lead >= 0xa4 && lead <= 0xc6 && ((trail >= 0x40 && trail <= 0x7e) || trail >= 0xa1)) big5++
  }
  if (pairs < MIN_EVIDENCE) return undefined
  if (gbk >= pairs * 0.75 && decodeStrictly(sample, 'gbk') !== undefined) return 'gbk'
  if (big5 >= pairs * 0.75 && decodeStrictly(sample, 'big5') !== undefined) return 'big5'
  return undefined
}

/** Cyrillic words are runs of high bytes, nearly all in the rows of the small letters. */
function cyrillicCharset(sample: Uint8Array): 'windows-1251' | 'koi8-r' | undefined {
  let high = 0
  let inRun = 0
  let small1251 = 0
  let smallKoi8 = 0
  for (let i = 0; i < sample.length; i++) {
    const byte = sample[i] ?? 0
    if (byte < 0x80) continue
    high++
    if ((sample[i - 1] ?? 0) >= 0x80 || (sample[i + 1] ?? 0) >= 0x80) inRun++
    if (byte >= 0xe0) small1251++
    else if (byte >= 0xc0) smallKoi8++
  }
  if (high < MIN_EVIDENCE || inRun < high * 0.8) return undefined
  if (small1251 >= high * 0.7) return 'windows-1251'
  return smallKoi8 >= high * 0.7 ? 'koi8-r' : undefined
}

function decodeStrictly(sample: Uint8Array, charset: string): string | undefined {
  try {
    return createDecoder(charset, { fatal: true }).decode(sample)
  } catch {
    return undefined
  }
}
