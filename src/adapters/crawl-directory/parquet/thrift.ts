import { ByteBuffer } from './byte-buffer.ts'

/** The few types of Thrift's compact protocol that Parquet's descriptions are made of. */
export type ThriftValue =
  | { readonly kind: 'i32' | 'i64'; readonly value: number }
  | { readonly kind: 'true' | 'false' }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'list'; readonly of: 'i32' | 'text' | 'struct'; readonly values: readonly ThriftValue[] }
  | { readonly kind: 'struct'; readonly fields: ThriftFields }

/** By the number of the field, ascending. */
export type ThriftFields = readonly (readonly [field: number, value: ThriftValue])[]

export const i32 = (value: number): ThriftValue => ({ kind: 'i32', value })
export const i64 = (value: number): ThriftValue => ({ kind: 'i64', value })
export const bool = (value: boolean): ThriftValue => ({ kind: value ? 'true' : 'false' })
export const text = (value: string): ThriftValue => ({ kind: 'text', value })
export const struct = (fields: ThriftFields): ThriftValue => ({ kind: 'struct', fields })
export const list = (of: 'i32' | 'text' | 'struct', values: readonly ThriftValue[]): ThriftValue => ({
  kind: 'list',
  of,
  values,
})

export function thriftBytes(fields: ThriftFields): Uint8Array {
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
  let rest = value
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) out.byte((rest % 128) | 0x80)
  out.byte(rest)
}
