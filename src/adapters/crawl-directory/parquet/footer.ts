import { ByteBuffer } from './byte-buffer.ts'
import { type ColumnType, LEAVES, type Leaf, type LeafPage, NAMED_VALUES } from './column-writer.ts'

/** Where the pages of a leaf are in the file. */
export interface WrittenLeaf {
  readonly column: string
  readonly leaf: Leaf
  readonly offset: number
  readonly values: number
  /** With the heads of the pages. */
  readonly rawBytes: number
  readonly storedBytes: number
}

/** Numbers of the format (parquet.thrift). */
const REQUIRED = 0
const OPTIONAL = 1
const REPEATED = 2
const UTF8 = 0
const LIST = 3
const DATA_PAGE_V2 = 3
const PLAIN = 0
const RLE = 3
const ZSTD = 6

/** Sizes of a page. */
export interface PageSizes {
  readonly rows: number
  /** Before they are compressed. */
  readonly valueBytes: number
  readonly storedBytes: number
  readonly isCompressed: boolean
}

/** The head of a page of version 2, whose levels are not compressed. */
export function pageHead(
  { repetition, definition, length, nulls }: LeafPage,
  { rows, valueBytes, storedBytes, isCompressed }: PageSizes,
): Uint8Array {
  const levels = repetition.length + definition.length
  return thriftBytes([
    [1, i32(DATA_PAGE_V2)],
    [2, i32(levels + valueBytes)],
    [3, i32(levels + storedBytes)],
    [
      8,
      struct([
        [1, i32(length)],
        [2, i32(nulls)],
        [3, i32(rows)],
        [4, i32(PLAIN)],
        [5, i32(definition.length)],
        [6, i32(repetition.length)],
        [7, bool(isCompressed)],
      ]),
    ],
  ])
}

/** What stands at the end of a file and describes it. */
export function footer(
  columns: Readonly<Record<string, ColumnType>>,
  rows: number,
  leaves: readonly WrittenLeaf[],
): Uint8Array {
  const names = Object.entries(columns)
  const root = struct([
    [4, text('row')],
    [5, i32(names.length)],
  ])
  const group = struct([
    [1, list('struct', leaves.map(chunk))],
    [2, i64(leaves.reduce((sum, { rawBytes }) => sum + rawBytes, 0))],
    [3, i64(rows)],
  ])
  return thriftBytes([
    [1, i32(1)],
    [2, list('struct', [root, ...names.flatMap(([name, type]) => schemaOf(name, type))])],
    [3, i64(rows)],
    [4, list('struct', rows === 0 ? [] : [group])],
    [6, text('orbweaver')],
  ])
}

function schemaOf(name: string, type: ColumnType): ThriftValue[] {
  const [leaf] = LEAVES[type]
  if (leaf === undefined) return []
  if (!leaf.isListed) return [leafOf(name, leaf, OPTIONAL)]
  const listGroups = [group(name, OPTIONAL, 1, LIST), group('list', REPEATED, 1)]
  return type === NAMED_VALUES
    ? [
        ...listGroups,
        group('element', REQUIRED, 2),
        leafOf('name', leaf, REQUIRED),
        leafOf('value', leaf, REQUIRED),
      ]
    : [...listGroups, leafOf('element', leaf, REQUIRED)]
}

function leafOf(name: string, { physical, isText }: Leaf, repetition: number): ThriftValue {
  return struct([
    [1, i32(physical)],
    [3, i32(repetition)],
    [4, text(name)],
    ...(isText ? ([[6, i32(UTF8)]] as const) : []),
  ])
}

function group(name: string, repetition: number, children: number, converted?: number): ThriftValue {
  return struct([
    [3, i32(repetition)],
    [4, text(name)],
    [5, i32(children)],
    ...(converted === undefined ? [] : ([[6, i32(converted)]] as const)),
  ])
}

function chunk({ column, leaf, offset, values, rawBytes, storedBytes }: WrittenLeaf): ThriftValue {
  const path = [column, ...leaf.path]
  return struct([
    [2, i64(offset)],
    [
      3,
      struct([
        [1, i32(leaf.physical)],
        [2, list('i32', [i32(PLAIN), i32(RLE)])],
        [3, list('text', path.map(text))],
        [4, i32(ZSTD)],
        [5, i64(values)],
        [6, i64(rawBytes)],
        [7, i64(storedBytes)],
        [9, i64(offset)],
      ]),
    ],
  ])
}

/** The few types of Thrift's compact protocol that Parquet's descriptions are made of. */
type ThriftValue =
  | { readonly kind: 'i32' | 'i64'; readonly value: number }
  | { readonly kind: 'true' | 'false' }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'list'; readonly of: 'i32' | 'text' | 'struct'; readonly values: readonly ThriftValue[] }
  | { readonly kind: 'struct'; readonly fields: ThriftFields }

/** By the number of the field, ascending. */
type ThriftFields = readonly (readonly [field: number, value: ThriftValue])[]

const i32 = (value: number): ThriftValue => ({ kind: 'i32', value })
const i64 = (value: number): ThriftValue => ({ kind: 'i64', value })
const bool = (value: boolean): ThriftValue => ({ kind: value ? 'true' : 'false' })
const text = (value: string): ThriftValue => ({ kind: 'text', value })
const struct = (fields: ThriftFields): ThriftValue => ({ kind: 'struct', fields })
const list = (of: 'i32' | 'text' | 'struct', values: readonly ThriftValue[]): ThriftValue => ({
  kind: 'list',
  of,
  values,
})

function thriftBytes(fields: ThriftFields): Uint8Array {
  const out = new ByteBuffer()
  writeFields(out, fields)
  return out.view()
}

const TYPES = { true: 1, false: 2, i32: 5, i64: 6, text: 8, list: 9, struct: 12 } as const

function writeFields(out: ByteBuffer, fields: ThriftFields): void {
  let last = 0
  for (const [field, value] of fields) {
    out.byte(((field - last) << 4) | TYPES[value.kind])
    last = field
    writeValue(out, value)
  }
  out.byte(0)
}

function writeValue(out: ByteBuffer, value: ThriftValue): void {
  if (value.kind === 'struct') writeFields(out, value.fields)
  else if (value.kind === 'text') {
    const bytes = Buffer.from(value.value)
    writeVarint(out, bytes.length)
    out.bytes(bytes)
  } else if (value.kind === 'list') {
    const { length } = value.values
    if (length < 15) out.byte((length << 4) | TYPES[value.of])
    else {
      out.byte(0xf0 | TYPES[value.of])
      writeVarint(out, length)
    }
    for (const item of value.values) writeValue(out, item)
  } else if (value.kind === 'i32' || value.kind === 'i64')
    writeVarint(out, value.value < 0 ? -2 * value.value - 1 : 2 * value.value)
}

/** @param value a whole number up to 2^53 */
function writeVarint(out: ByteBuffer, value: number): void {
  let remaining = value
  for (; remaining > 0x7f; remaining = Math.floor(remaining / 128)) out.byte((remaining % 128) | 0x80)
  out.byte(remaining)
}
