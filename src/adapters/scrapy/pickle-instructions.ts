import { type PickleInput, type PickleStack, unreadable } from './pickle-machine.ts'

/** Does what one opcode says, after taking its argument from the input. */
type Instruction = (stack: PickleStack, input: PickleInput) => void

/** The opcodes of protocols 0 to 5 that carry data, by their byte; STOP is the reader's own. */
export const INSTRUCTIONS: ReadonlyMap<number, Instruction> = new Map<number, Instruction>([
  // PROTO and FRAME: they help a reader of streams; what matters is in the instructions that follow.
  [0x80, (_, input) => void input.uint(1)],
  [0x95, (_, input) => void input.uint64()],

  // NONE, NEWTRUE, NEWFALSE
  [0x4e, (stack) => stack.push(null)],
  [0x88, (stack) => stack.push(true)],
  [0x89, (stack) => stack.push(false)],
  // INT, LONG, BININT, BININT1, BININT2, LONG1, LONG4
  [0x49, (stack, input) => stack.push(lineInteger(input.line()))],
  [0x4c, (stack, input) => stack.push(lineLong(input.line()))],
  [0x4a, (stack, input) => stack.push(input.int32())],
  [0x4b, (stack, input) => stack.push(input.uint(1))],
  [0x4d, (stack, input) => stack.push(input.uint(2))],
  [0x8a, (stack, input) => stack.push(binaryInteger(input.bytes(input.uint(1))))],
  [0x8b, (stack, input) => stack.push(binaryInteger(input.bytes(input.uint(4))))],
  // FLOAT, BINFLOAT
  [0x46, (stack, input) => stack.push(lineFloat(input.line()))],
  [0x47, (stack, input) => stack.push(input.float64())],

  // STRING, BINSTRING, SHORT_BINSTRING
  [0x53, (stack, input) => stack.push(lineString(input.line()))],
  [0x54, (stack, input) => stack.push(python2String(input.bytes(input.uint(4))))],
  [0x55, (stack, input) => stack.push(python2String(input.bytes(input.uint(1))))],
  // UNICODE, SHORT_BINUNICODE, BINUNICODE, BINUNICODE8
  [0x56, (stack, input) => stack.push(lineUnicode(input.line()))],
  [0x8c, (stack, input) => stack.push(input.utf8(input.uint(1)))],
  [0x58, (stack, input) => stack.push(input.utf8(input.uint(4)))],
  [0x8d, (stack, input) => stack.push(input.utf8(input.uint64()))],
  // SHORT_BINBYTES, BINBYTES, BINBYTES8, BYTEARRAY8
  [0x43, (stack, input) => stack.push(new Uint8Array(input.bytes(input.uint(1))))],
  [0x42, (stack, input) => stack.push(new Uint8Array(input.bytes(input.uint(4))))],
  [0x8e, (stack, input) => stack.push(new Uint8Array(input.bytes(input.uint64())))],
  [0x96, (stack, input) => stack.push(new Uint8Array(input.bytes(input.uint64())))],

  // EMPTY_TUPLE, TUPLE1, TUPLE2, TUPLE3, TUPLE
  [0x29, (stack) => stack.push([])],
  [0x85, (stack) => stack.push(stack.take(1))],
  [0x86, (stack) => stack.push(stack.take(2))],
  [0x87, (stack) => stack.push(stack.take(3))],
  [0x74, (stack) => stack.push(stack.takeToMark())],
  // EMPTY_LIST, LIST, APPEND, APPENDS
  [0x5d, (stack) => stack.push([])],
  [0x6c, (stack) => stack.push(stack.takeToMark())],
  [0x61, (stack) => stack.append(stack.take(1))],
  [0x65, (stack) => stack.append(stack.takeToMark())],
  // EMPTY_DICT, DICT, SETITEM, SETITEMS
  [0x7d, (stack) => stack.push(new Map())],
  [0x64, dict],
  [0x73, (stack) => stack.setItems(stack.take(2))],
  [0x75, (stack) => stack.setItems(stack.takeToMark())],
  // EMPTY_SET, ADDITEMS, FROZENSET
  [0x8f, (stack) => stack.push(new Set())],
  [0x90, (stack) => stack.addItems(stack.takeToMark())],
  [0x91, (stack) => stack.push(new Set(stack.takeToMark()))],

  // MARK, POP, POP_MARK, DUP
  [0x28, (stack) => stack.mark()],
  [0x30, (stack) => void stack.pop()],
  [0x31, (stack) => void stack.takeToMark()],
  [0x32, (stack) => stack.push(stack.top())],
  // MEMOIZE, PUT, BINPUT, LONG_BINPUT
  [0x94, (stack) => stack.memoize()],
  [0x70, (stack, input) => stack.memoize(memoKey(input))],
  [0x71, (stack, input) => stack.memoize(input.uint(1))],
  [0x72, (stack, input) => stack.memoize(input.uint(4))],
  // GET, BINGET, LONG_BINGET
  [0x67, (stack, input) => stack.recall(memoKey(input))],
  [0x68, (stack, input) => stack.recall(input.uint(1))],
  [0x6a, (stack, input) => stack.recall(input.uint(4))],
])

/** Those that look up, call or fetch something outside the pickle. Named only to say what was refused. */
export const REFUSED: ReadonlyMap<number, string> = new Map([
  [0x50, 'PERSID'],
  [0x51, 'BINPERSID'],
  [0x52, 'REDUCE'],
  [0x62, 'BUILD'],
  [0x63, 'GLOBAL'],
  [0x69, 'INST'],
  [0x6f, 'OBJ'],
  [0x81, 'NEWOBJ'],
  [0x82, 'EXT1'],
  [0x83, 'EXT2'],
  [0x84, 'EXT4'],
  [0x92, 'NEWOBJ_EX'],
  [0x93, 'STACK_GLOBAL'],
  [0x97, 'NEXT_BUFFER'],
  [0x98, 'READONLY_BUFFER'],
])

function dict(stack: PickleStack): void {
  const entries = stack.takeToMark()
  stack.push(new Map())
  stack.setItems(entries)
}

function memoKey(input: PickleInput): number {
  return Number(decimalInteger(input.line().toString('latin1')))
}

/** Room for every number that means something to a request; the time to read one grows with its square. */
const MAX_INTEGER_BYTES = 128
const MAX_NUMBER_LENGTH = 300

/** The argument of LONG1 and LONG4: little-endian two's complement, empty for 0. */
function binaryInteger(bytes: Buffer): number | bigint {
  if (bytes.length > MAX_INTEGER_BYTES) unreadable(`an integer of ${bytes.length} bytes`)
  if (bytes.length === 0) return 0
  const unsigned = BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`)
  return smallest(BigInt.asIntN(8 * bytes.length, unsigned))
}

/** The argument of INT, in which protocols 0 and 1 have their booleans, too. */
function lineInteger(line: Buffer): boolean | number | bigint {
  const text = line.toString('latin1')
  if (text === '01') return true
  if (text === '00') return false
  return decimalInteger(text)
}

/** The argument of LONG. */
function lineLong(line: Buffer): number | bigint {
  return decimalInteger(line.toString('latin1').replace(/L$/, ''))
}

function decimalInteger(text: string): number | bigint {
  if (text.length > MAX_NUMBER_LENGTH || !/^-?\d+$/.test(text)) unreadable('an integer that is none')
  return smallest(BigInt(text))
}

/** The argument of FLOAT. */
function lineFloat(line: Buffer): number {
  if (line.length > MAX_NUMBER_LENGTH) unreadable('a float that is none')
  const text = line.toString('latin1')
  if (/^-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text)) return Number(text)
  if (text === 'inf') return Number.POSITIVE_INFINITY
  if (text === '-inf') return Number.NEGATIVE_INFINITY
  return text === 'nan' ? Number.NaN : unreadable('a float that is none')
}

/** The argument of UNICODE: Latin-1, with `\uXXXX` and `\UXXXXXXXX` for all else and for the backslash itself. */
function lineUnicode(line: Buffer): string {
  const text = line
    .toString('latin1')
    .replace(/\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))/g, (_, short?: string, long?: string) => {
      const point = Number.parseInt(short ?? long ?? '', 16)
      return point > 0x10ffff ? unreadable('a character beyond Unicode') : String.fromCodePoint(point)
    })
  return text.isWellFormed() ? text : unreadable('half a character')
}

/** The argument of STRING: bytes of Python 2, as it writes a literal. */
function lineString(line: Buffer): string | Uint8Array {
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
function python2String(bytes: Buffer): string | Uint8Array {
  return bytes.some((byte) => byte > 0x7f) ? new Uint8Array(bytes) : bytes.toString('latin1')
}

function smallest(integer: bigint): number | bigint {
  const number = Number(integer)
  return Number.isSafeInteger(number) ? number : integer
}
