import { createHash } from 'node:crypto'
import { TextDecoder as LibraryDecoder } from '@exodus/bytes/encoding.js'
import { describe, expect, it } from 'vitest'
import { charsetForLabel, createDecoder } from './charset-label.ts'

const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i)
const hash = (characters: readonly string[]) =>
  createHash('sha256').update(characters.join('|')).digest('hex').slice(0, 16)
/** What each sequence decodes to alone; U+FFFD where it has no meaning. */
const decodeEach = (charset: string, sequences: readonly number[][]) => {
  const decoder = createDecoder(charset)
  return sequences.map((bytes) => decoder.decode(Uint8Array.from(bytes)))
}
const pairs = (leads: readonly number[], trails: readonly number[], ...before: number[]) =>
  leads.flatMap((lead) => trails.map((trail) => [...before, lead, trail]))

// The expected hashes are not from a decoder: they were computed from the index files of the Encoding standard.
describe('every character of every legacy charset equals the index of the Encoding standard', () => {
  it.each([
    ['ibm866', '454aea4d96993030'],
    ['iso-8859-2', '701be20050253412'],
    ['iso-8859-3', '89d0106756e6955f'],
    ['iso-8859-4', 'bc18bae08a98e7ef'],
    ['iso-8859-5', '3eb52c805f78c28d'],
    ['iso-8859-6', '06458e81b4b5e5d0'],
    ['iso-8859-7', 'dcf11c0dddc260ae'],
    ['iso-8859-8', '43bb5c2e874d787c'],
    ['iso-8859-8-i', '43bb5c2e874d787c'],
    ['iso-8859-10', 'dd28241fd94bb2b0'],
    ['iso-8859-13', '0a77345bda2f9410'],
    ['iso-8859-14', '6c5dc5463439ec41'],
    ['iso-8859-15', '9f7bbdbada6d2b01'],
    ['iso-8859-16', 'b3b3614d1c57fabc'],
    ['koi8-r', '0262bf60c1930c4d'],
    ['koi8-u', '159d0ed73e15a961'],
    ['macintosh', '8aad857d5215f711'],
    ['windows-874', '24ba75635396d34f'],
    ['windows-1250', '62255882c9764016'],
    ['windows-1251', '5387a9b67573dfc9'],
    ['windows-1252', '762e05337e2ee0c2'],
    ['windows-1253', 'f9454539a0fbd4ac'],
    ['windows-1254', '0fa22dffb2a59d90'],
    ['windows-1255', '50ca1c19b519b43d'],
    ['windows-1256', '73ca4a2c13c4cf8f'],
    ['windows-1257', 'af9b6d30b63714e9'],
    ['windows-1258', '7aea7df2947cd73b'],
    ['x-mac-cyrillic', '2ebc771ce9fe6801'],
  ])('%s', (charset, expected) => {
    const high = range(0x80, 0xff).map((byte) => [byte])
    expect(hash(decodeEach(charset, high))).toBe(expected)
    // Decoded together, as a page is, they are the same.
    const together = createDecoder(charset).decode(Uint8Array.from(high.flat()))
    expect(hash([...together])).toBe(expected)
    const ascii = range(0, 0x7f).map((byte) => [byte])
    expect(decodeEach(charset, ascii).join('')).toBe(String.fromCharCode(...range(0, 0x7f)))
  })

  const ALL_TRAILS = range(0x40, 0xfe)
  it.each([
    ['euc-kr with UHC', 'euc-kr', pairs(range(0x81, 0xfe), ALL_TRAILS), 'be9423ae48a2879b'],
    ['big5 with HKSCS', 'big5', pairs(range(0x81, 0xfe), ALL_TRAILS), 'de761007048a488f'],
    ['gbk', 'gbk', pairs(range(0x81, 0xfe), ALL_TRAILS), 'bd0e1db0347abc18'],
    ['gb18030', 'gb18030', pairs(range(0x81, 0xfe), ALL_TRAILS), 'bd0e1db0347abc18'],
    [
      'shift_jis',
      'shift_jis',
      pairs([...range(0x81, 0x9f), ...range(0xe0, 0xfc)], ALL_TRAILS),
      '42d6f99ee9798d64',
    ],
    ['euc-jp, JIS X 0208', 'euc-jp', pairs(range(0xa1, 0xfe), ALL_TRAILS), '44cf994b8eed12dd'],
    ['euc-jp, JIS X 0212', 'euc-jp', pairs(range(0xa1, 0xfe), range(0xa1, 0xfe), 0x8f), 'baa478110082a8b8'],
    [
      'iso-2022-jp',
      'iso-2022-jp',
      pairs(range(0x21, 0x7e), range(0x21, 0x7e), 0x1b, 0x24, 0x42),
      'f803e0dd187e20a1',
    ],
  ])('%s', (_, charset, sequences, expected) => {
    expect(hash(decodeEach(charset, sequences))).toBe(expected)
  })

  it('the four-byte sequences of gb18030', () => {
    const decoder = createDecoder('gb18030')
    const digest = createHash('sha256')
    const digits = range(0x30, 0x39)
    for (const start of pairs(range(0x81, 0xfe), digits)) {
      const lines = pairs(range(0x81, 0xfe), digits).flatMap((end) => [...start, ...end, 0x0a])
      for (const text of decoder.decode(Uint8Array.from(lines)).trimEnd().split('\n')) {
        // A sequence without a meaning decodes to U+FFFD and its digits; the index has one U+FFFD for it.
        digest.update(`${text.startsWith('\ufffd') ? '\ufffd' : text}|`)
      }
    }
    expect(digest.digest('hex').slice(0, 16)).toBe('8ba7d2f971b4fe55')
  })

  it('the single bytes of the multi-byte charsets', () => {
    const single = (charset: string, byte: number) => decodeEach(charset, [[byte]])[0]
    expect(single('shift_jis', 0x80)).toBe('\x80')
    expect(single('shift_jis', 0xa1)).toBe('｡')
    expect(single('shift_jis', 0xa0)).toBe('\ufffd')
    expect(single('gbk', 0x80)).toBe('€')
    expect(single('gbk', 0xff)).toBe('\ufffd')
    expect(single('euc-kr', 0x80)).toBe('\ufffd')
    expect(single('big5', 0x80)).toBe('\ufffd')
    for (const charset of ['shift_jis', 'gbk', 'gb18030', 'big5', 'euc-kr', 'euc-jp']) {
      const ascii = range(0, 0x7f).map((byte) => [byte])
      expect(decodeEach(charset, ascii).join(''), charset).toBe(String.fromCharCode(...range(0, 0x7f)))
    }
  })
})

describe('the charsets decoded by Node.js equal the library', () => {
  const CODE_POINTS = range(0, 0x10ffff).filter((code) => code < 0xd800 || code > 0xdfff)
  const ALL_TEXT = CODE_POINTS.map((code) => String.fromCodePoint(code)).join('')
  const BROKEN = [
    ...pairs(range(0, 0xff), range(0x7f, 0xff)),
    ...pairs(range(0xed, 0xf4), range(0x7f, 0xc2), 0x61),
  ]

  it.each([
    ['utf-8', Buffer.from(ALL_TEXT)],
    ['utf-16le', Buffer.from(ALL_TEXT, 'utf16le')],
    ['utf-16be', Buffer.from(ALL_TEXT, 'utf16le').swap16()],
  ])('%s', (charset, bytes) => {
    const library = new LibraryDecoder(charset, { ignoreBOM: true })
    expect(createDecoder(charset).decode(bytes) === ALL_TEXT, 'all code points').toBe(true)
    expect(library.decode(bytes) === ALL_TEXT, 'all code points').toBe(true)
    const broken = BROKEN.map((sequence) => library.decode(Uint8Array.from([...sequence, 0x41, 0xe2])))
    expect(
      decodeEach(
        charset,
        BROKEN.map((sequence) => [...sequence, 0x41, 0xe2]),
      ),
    ).toEqual(broken)
  })
})

describe('charsetForLabel', () => {
  it.each([
    ['UTF8', 'utf-8'],
    [' utf-16 ', 'utf-16le'],
    ['latin1', 'windows-1252'],
    ['iso-8859-1', 'windows-1252'],
    ['ISO-8859-9', 'windows-1254'],
    ['TIS-620', 'windows-874'],
    ['iso-8859-11', 'windows-874'],
    ['ks_c_5601-1987', 'euc-kr'],
    ['big5-hkscs', 'big5'],
    ['x-sjis', 'shift_jis'],
    ['gb2312', 'gbk'],
    ['logical', 'iso-8859-8-i'],
    ['iso-8859-16', 'iso-8859-16'],
    ['cp1250', 'windows-1250'],
    ['x-user-defined', 'x-user-defined'],
  ])('maps %s to %s', (label, charset) => {
    expect(charsetForLabel(label)).toBe(charset)
    expect(createDecoder(charset).encoding).toBe(charset)
  })

  it.each([
    '',
    'utf-7',
    'replacement',
    'iso-2022-kr',
    'hz-gb-2312',
    '☃',
    '__proto__',
    `utf-8${' '.repeat(50)}x`,
  ])('rejects %j', (label) => {
    expect(charsetForLabel(label)).toBeUndefined()
  })
})
