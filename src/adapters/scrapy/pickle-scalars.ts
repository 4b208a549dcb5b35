import { unreadable } from './pickle-input.ts'

/** Room for every number that means something to a request; the time to read one grows with its square. */
const MAX_INTEGER_BYTES = 128
const MAX_NUMBER_LENGTH = 300

/** The argument of LONG1 and LONG4: little-endian two's complement, empty for 0. */
export function binaryInteger(bytes: Buffer): number | bigint {
  if (bytes.length > MAX_INTEGER_BYTES) unreadable(`an integer of ${bytes.length} bytes`)
  if (bytes.length === 0) return 0
  const unsigned = BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`)
  return smallest(BigInt.asIntN(8 * bytes.length, unsigned))
}

/** The argument of INT, in which protocols 0 and 1 have their booleans, too. */
export function lineInteger(line: Buffer): boolean | number | bigint {
  const text = line.toString('latin1')
  if (text === '01') return true
  if (text === '00') return false
  return decimalInteger(text)
}

/** The argument of LONG. */
export function lineLong(line: Buffer): number | bigint {
  return decimalInteger(line.toString('latin1').replace(/L$/, ''))
}

export function decimalInteger(text: string): number | bigint {
  if (text.length > MAX_NUMBER_LENGTH || !/^-?\d+$/.test(text)) unreadable('an integer that is none')
  return smallest(BigInt(text))
}

/** The argument of FLOAT. */
export function lineFloat(line: Buffer): number {
  if (line.length > MAX_NUMBER_LENGTH) unreadable('a float that is none')
  const text = line.toString('latin1')
  if (/^-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text)) return Number(text)
  if (text === 'inf') return Number.POSITIVE_INFINITY
  if (text === '-inf') return Number.NEGATIVE_INFINITY
  return text === 'nan' ? Number.NaN : unreadable('a float that is none')
}

/** The argument of UNICODE: Latin-1, with `\uXXXX` and `\UXXXXXXXX` for all else and for the backslash itself. */
export function lineUnicode(line: Buffer): string {
  const text = line
    .toString('latin1')
    .replace(/\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))/g, (_, short?: string, long?: string) => {
      const point = Number.parseInt(short ?? long ?? '', 16)
      return point > 0x10ffff ? unreadable('a character beyond Unicode') : String.fromCodePoint(point)
    })
  return text.isWellFormed() ? text : unreadable('half a character')
}

/** The argument of STRING: bytes of Python 2, as it writes a literal. */
export function lineString(line: Buffer): string | Uint8Array {
  const literal = line.toString('latin1')
  const quote = literal.charAt(0)
  if (literal.length < 2 || !/['"]/.test(quote) || !literal.endsWith(quote))
    unreadable('a string without quotes')
  const text = literal
    .slice(1, -1)
    .replace(/\\(?:x([0-9a-fA-F]{2})|(.))/gs, (_, hex?: string, plain?: string) =>
      hex === undefined
        ? (ESCAPED[plain ?? ''] ?? plain ?? '')
        : String.fromCharCode(Number.parseInt(hex, 16)),
    )
  return python2String(Buffer.from(text, 'latin1'))
}

const ESCAPED: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }

/** Python 2 had one type for text and bytes: what is ASCII is taken for text. */
export function python2String(bytes: Buffer): string | Uint8Array {
  return bytes.some((byte) => byte > 0x7f) ? new Uint8Array(bytes) : bytes.toString('latin1')
}

function smallest(integer: bigint): number | bigint {
  const number = Number(integer)
  return Number.isSafeInteger(number) ? number : integer
}
