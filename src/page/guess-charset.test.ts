import { expect, it } from 'vitest'
import { guessCharset } from './guess-charset.ts'

const JAPANESE =
  '<title>日本語のページ</title><p>これはテストのための文章です。漢字とひらがなとカタカナがあります。</p>'
const KOREAN = '<title>한국어 페이지</title><p>이 문장은 시험을 위한 것입니다. 안녕하세요, 반갑습니다.</p>'
const SIMPLIFIED =
  '<title>中文网页</title><p>这是一个用来测试编码的句子。我们希望它能够被正确地识别出来。</p>'
const TRADITIONAL =
  '<title>中文網頁</title><p>這是一個用來測試編碼的句子。我們希望它能夠被正確地識別出來。</p>'
const RUSSIAN =
  '<title>Страница</title><p>Это предложение нужно для проверки того, как угадывается кодировка.</p>'

it.each([
  ['shift_jis', JAPANESE],
  ['euc-jp', JAPANESE],
  ['euc-kr', KOREAN],
  ['gbk', SIMPLIFIED],
  ['big5', TRADITIONAL],
  ['windows-1251', RUSSIAN],
  ['koi8-r', RUSSIAN],
  ['windows-1252', '<p>Le café où l’on mange des œufs à la crème brûlée est fermé cet été.</p>'],
  ['windows-1252', '<p>Größere Übungen für schöne Füße: „äöüß“.</p>'],
])('knows %s by its bytes', (charset, text) => {
  const encoded = encode(text, charset)
  expect(new TextDecoder(charset).decode(encoded)).toBe(text)
  expect(guessCharset(encoded)).toBe(charset)
})

it.each(['utf-16le', 'utf-16be'])('knows %s without a byte order mark', (charset) => {
  const bytes = Buffer.from('<html><p>Grüße, мир</p></html>', 'utf16le')
  expect(guessCharset(charset === 'utf-16le' ? bytes : bytes.swap16())).toBe(charset)
})

it('knows ISO-2022-JP by its escapes', () => {
  expect(guessCharset(Buffer.from('\x1b$B$3$s$K$A$O\x1b(B', 'latin1'))).toBe('iso-2022-jp')
  expect(guessCharset(Buffer.from('\x1b[31mred\x1b[0m'))).toBe('utf-8')
})

it('takes UTF-8 for UTF-8 even when its last character is cut', () => {
  const whole = Buffer.from('naïve 😀')
  for (let cut = 0; cut < 4; cut++) expect(guessCharset(whole.subarray(0, whole.length - cut))).toBe('utf-8')
})

it('does not take a few zeros in ASCII for UTF-16', () => {
  expect(guessCharset(Buffer.from('a\0bc\0\0def ghi jkl'))).toBe('utf-8')
})

it('falls to windows-1252 for noise', () => {
  expect(guessCharset(Uint8Array.of(0xff, 0x20, 0x81, 0x20))).toBe('windows-1252')
})

/** The inverse of a TextDecoder, found by decoding every one- and two-byte sequence. */
function encode(text: string, charset: string): Uint8Array {
  const decoder = new TextDecoder(charset)
  const codes = new Map<string, number[]>()
  for (let lead = 0x81; lead < 0xff; lead++) {
    for (let trail = 0x40; trail < 0xff; trail++) {
      const char = decoder.decode(Uint8Array.of(lead, trail))
      if (char.length === 1 && char !== '\ufffd' && !codes.has(char)) codes.set(char, [lead, trail])
    }
  }
  for (let byte = 0; byte < 256; byte++) codes.set(decoder.decode(Uint8Array.of(byte)), [byte])
  return Uint8Array.from([...text].flatMap((char) => codes.get(char) ?? [0x3f]))
}
