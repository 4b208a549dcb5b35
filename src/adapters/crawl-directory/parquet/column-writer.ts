import { ByteBuffer, type ByteReader } from './byte-buffer.ts'
import { Levels } from './levels.ts'

/** The types of columns, by their DuckDB names. Every value may be missing. */
export type ColumnType =
  | 'VARCHAR'
  | 'BLOB'
  | 'DOUBLE'
  | 'BIGINT'
  | 'INTEGER'
  | 'BOOLEAN'
  | 'VARCHAR[]'
  | typeof NAMED_VALUES

export const NAMED_VALUES = 'STRUCT("name" VARCHAR, "value" VARCHAR)[]'

/** What each takes in a row. */
export interface ColumnValue {
  readonly VARCHAR: string
  readonly BLOB: Uint8Array
  readonly DOUBLE: number
  /** Whole, up to 2^53. */
  readonly BIGINT: number
  readonly INTEGER: number
  readonly BOOLEAN: boolean
  readonly 'VARCHAR[]': readonly string[]
  readonly [NAMED_VALUES]: readonly (readonly [name: string, value: string])[]
}

/** Numbers of the format (parquet.thrift). */
export const PHYSICAL = { boolean: 0, int32: 1, int64: 2, double: 5, bytes: 6 } as const

/** How a type is stored: lists and structs have leaves below them. */
export const LEAVES: Readonly<Record<ColumnType, readonly Leaf[]>> = {
  VARCHAR: [{ path: [], physical: PHYSICAL.bytes, isText: true, isListed: false }],
  BLOB: [{ path: [], physical: PHYSICAL.bytes, isText: false, isListed: false }],
  DOUBLE: [{ path: [], physical: PHYSICAL.double, isText: false, isListed: false }],
  BIGINT: [{ path: [], physical: PHYSICAL.int64, isText: false, isListed: false }],
  INTEGER: [{ path: [], physical: PHYSICAL.int32, isText: false, isListed: false }],
  BOOLEAN: [{ path: [], physical: PHYSICAL.boolean, isText: false, isListed: false }],
  'VARCHAR[]': [{ path: ['list', 'element'], physical: PHYSICAL.bytes, isText: true, isListed: true }],
  [NAMED_VALUES]: [
    { path: ['list', 'element', 'name'], physical: PHYSICAL.bytes, isText: true, isListed: true },
    { path: ['list', 'element', 'value'], physical: PHYSICAL.bytes, isText: true, isListed: true },
  ],
}

export interface Leaf {
  /** Below the column. */
  readonly path: readonly string[]
  readonly physical: (typeof PHYSICAL)[keyof typeof PHYSICAL]
  readonly isText: boolean
  readonly isListed: boolean
}

/** What one leaf has to store. */
export interface LeafPage {
  readonly repetition: Uint8Array
  readonly definition: Uint8Array
  readonly values: Uint8Array
  /** Values with those that are missing, and how many of them are. */
  readonly length: number
  readonly nulls: number
}

/** The values of one leaf of a column: those that are there, and where some are not. */
export class LeafWriter {
  readonly leaf: Leaf
  readonly values = new ByteBuffer()
  readonly #present = new Levels()
  readonly #repeats = new Levels()

  constructor(leaf: Leaf) {
    this.leaf = leaf
  }

  /** Values that are there, missing, or stand for an empty list. */
  get length(): number {
    return this.#present.length
  }

  missing(): void {
    this.#level(0, 0)
  }

  emptyList(): void {
    this.#level(1, 0)
  }

  /** @param place in its list */
  text(value: string, place = 0): void {
    this.#level(this.leaf.isListed ? 2 : 1, place)
    this.values.text(value)
  }

  /** Texts that are all there, of as many rows or of one list. @param values at least one */
  texts(values: readonly string[]): void {
    const { isListed } = this.leaf
    this.#present.pushRun(isListed ? 2 : 1, values.length)
    if (isListed) {
      this.#repeats.push(0)
      if (values.length > 1) this.#repeats.pushRun(1, values.length - 1)
    }
    this.values.texts(values)
  }

  /** The last value again, for as many rows more. Not for lists. @param start of that value in `values` */
  repeat(start: number, times: number): void {
    this.#present.repeat(times)
    this.values.repeat(start, times)
  }

  blob(value: Uint8Array): void {
    this.#level(1, 0)
    this.values.block(value)
  }

  number(value: number): void {
    this.#level(1, 0)
    if (this.leaf.physical === PHYSICAL.double) this.values.double(value)
    else if (this.leaf.physical === PHYSICAL.int64) this.values.int64(value)
    else this.values.int32(value)
  }

  /** A byte each, until they are stored. */
  truth(value: boolean): void {
    this.#level(1, 0)
    this.values.byte(value ? 1 : 0)
  }

  /** All there is, for `append`. */
  pack(into: ByteBuffer): void {
    this.#present.pack(into)
    if (this.leaf.isListed) this.#repeats.pack(into)
    into.block(this.values.view())
  }

  append(packed: ByteReader): void {
    this.#present.append(packed)
    if (this.leaf.isListed) this.#repeats.append(packed)
    this.values.bytes(packed.bytes(packed.int32()))
  }

  /** What a page is made of, all that was added. Valid until more is added. */
  page(): LeafPage {
    return this.#pageOf(this.values.view())
  }

  /** As `page`, and forgets what there is. The values belong to the caller. @param room see `ByteBuffer.take` */
  takePage(room: Buffer<ArrayBuffer> | undefined): LeafPage {
    const page = this.#pageOf(this.values.take(room))
    this.#present.clear()
    this.#repeats.clear()
    return page
  }

  #pageOf(values: Uint8Array): LeafPage {
    const { isListed, physical } = this.leaf
    const bits = isListed ? 2 : 1
    return {
      repetition: isListed ? this.#repeats.encoded(1) : NOTHING,
      definition: this.#present.encoded(bits),
      values: physical === PHYSICAL.boolean ? eightToAByte(values) : values,
      length: this.length,
      nulls: this.length - this.#present.count(bits),
    }
  }

  /** Forgets what there is, and keeps its room for more. */
  clear(): void {
    this.values.clear()
    this.#present.clear()
    this.#repeats.clear()
  }

  #level(present: number, place: number): void {
    this.#present.push(present)
    if (this.leaf.isListed) this.#repeats.push(place === 0 ? 0 : 1)
  }
}

function eightToAByte(truths: Uint8Array): Uint8Array {
  const bits = new Uint8Array(Math.ceil(truths.length / 8))
  for (const [i, truth] of truths.entries()) bits[i >> 3] = (bits[i >> 3] ?? 0) | (truth << (i & 7))
  return bits
}

const NOTHING = new Uint8Array()

/** A column that takes the value of each row in turn. */
export interface ColumnWriter {
  readonly leaves: readonly LeafWriter[]
  add(value: unknown): void
  /** The same as `add` of each, in less time. */
  addAll(values: readonly unknown[]): void
}

export function columnWriter(type: ColumnType): ColumnWriter {
  const leaves = LEAVES[type].map((leaf) => new LeafWriter(leaf))
  const write = VALUE_WRITERS[type] as (leaves: readonly LeafWriter[], value: unknown) => void
  const add = (value: unknown) => {
    if (value !== undefined) write(leaves, value)
    else for (let i = 0; i < leaves.length; i++) leaves[i]?.missing()
  }
  const [only] = leaves
  const isText = type === 'VARCHAR'
  return {
    leaves,
    add,
    addAll(values) {
      const first = values[0]
      if (only === undefined || only.leaf.isListed || values.length === 0) values.forEach(add)
      else if (values.every((value) => Object.is(value, first))) {
        const start = only.values.length
        add(first)
        only.repeat(start, values.length - 1)
      } else if (isText && !values.includes(undefined)) only.texts(values as readonly string[])
      else values.forEach(add)
    },
  }
}

type ValueWriters = {
  readonly [T in ColumnType]: (leaves: readonly LeafWriter[], value: ColumnValue[T]) => void
}

const number = (leaves: readonly LeafWriter[], value: number) => leaves[0]?.number(value)

const VALUE_WRITERS: ValueWriters = {
  VARCHAR: (leaves, value) => leaves[0]?.text(value),
  BLOB: (leaves, value) => leaves[0]?.blob(value),
  DOUBLE: number,
  BIGINT: number,
  INTEGER: number,
  BOOLEAN: (leaves, value) => leaves[0]?.truth(value),
  'VARCHAR[]'(leaves, values) {
    if (values.length === 0) leaves[0]?.emptyList()
    else leaves[0]?.texts(values)
  },
  [NAMED_VALUES]([names, values], pairs) {
    if (pairs.length === 0) {
      names?.emptyList()
      values?.emptyList()
    }
    for (const [i, [name, value]] of pairs.entries()) {
      names?.text(name, i)
      values?.text(value, i)
    }
  },
}
