import type { PickleValue } from '../src/adapters/scrapy/pickle-value.ts'

/**
 * Writes data as a pickle of protocol 4 that every Python since 3.4 loads, without running code. Arrays become lists; a number
 * becomes an int when it is whole. Shared parts are written each time, so `value` must not contain itself.
 */
export function writePickle(value: PickleValue): Uint8Array {
  const chunks: Uint8Array[] = [Uint8Array.of(PROTO, 4)]
  write(value, chunks)
  chunks.push(Uint8Array.of(STOP))
  return Buffer.concat(chunks)
}

const PROTO = 0x80
const STOP = 0x2e
const MARK = 0x28
const NONE = 0x4e
const NEWTRUE = 0x88
const NEWFALSE = 0x89
const BININT = 0x4a
const LONG1 = 0x8a
const BINFLOAT = 0x47
const BINUNICODE = 0x58
const BINBYTES = 0x42
const EMPTY_LIST = 0x5d
const APPENDS = 0x65
const EMPTY_DICT = 0x7d
const SETITEMS = 0x75
const EMPTY_SET = 0x8f
const ADDITEMS = 0x90

function write(value: PickleValue, chunks: Uint8Array[]): void {
  if (value === null) chunks.push(Uint8Array.of(NONE))
  else if (typeof value === 'boolean') chunks.push(Uint8Array.of(value ? NEWTRUE : NEWFALSE))
  else if (typeof value === 'number') chunks.push(numberOf(value))
  else if (typeof value === 'bigint') chunks.push(integer(value))
  else if (typeof value === 'string') counted(BINUNICODE, Buffer.from(value, 'utf8'), chunks)
  else if (value instanceof Uint8Array) counted(BINBYTES, value, chunks)
  else if (value instanceof Map) container(EMPTY_DICT, [...value].flat(1), SETITEMS, chunks)
  else if (value instanceof Set) container(EMPTY_SET, value, ADDITEMS, chunks)
  else container(EMPTY_LIST, value, APPENDS, chunks)
}

function numberOf(value: number): Uint8Array {
  if (Object.is(value, value | 0)) {
    const bytes = Buffer.alloc(5, BININT)
    bytes.writeInt32LE(value, 1)
    return bytes
  }
  if (Number.isSafeInteger(value) && !Object.is(value, -0)) return integer(BigInt(value))
  const bytes = Buffer.alloc(9, BINFLOAT)
  bytes.writeDoubleBE(value, 1)
  return bytes
}

/** @throws RangeError beyond 2039 bits, which nothing that a request holds has */
function integer(value: bigint): Uint8Array {
  let size = 1
  while (BigInt.asIntN(8 * size, value) !== value) size++
  if (size > 0xff) throw new RangeError('an integer of more than 255 bytes')
  const bigEndian = BigInt.asUintN(8 * size, value)
    .toString(16)
    .padStart(2 * size, '0')
  return Buffer.concat([Uint8Array.of(LONG1, size), Buffer.from(bigEndian, 'hex').reverse()])
}

function counted(opcode: number, bytes: Uint8Array, chunks: Uint8Array[]): void {
  const head = Buffer.alloc(5, opcode)
  head.writeUInt32LE(bytes.length, 1)
  chunks.push(head, bytes)
}

function container(empty: number, items: Iterable<PickleValue>, fill: number, chunks: Uint8Array[]): void {
  chunks.push(Uint8Array.of(empty, MARK))
  for (const item of items) write(item, chunks)
  chunks.push(Uint8Array.of(fill))
}
