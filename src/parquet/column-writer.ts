import { ByteBuffer } from './byte-buffer.ts'
import {
  type ColumnType,
  type ColumnValue,
  LEAVES,
  type Leaf,
  NAMED_VALUES,
  PHYSICAL,
} from './column-types.ts'
import { Levels } from './levels.ts'

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
  /** Eight truths to a byte. */
  #truths = 0
  #truthBits = 0

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

  truth(value: boolean): void {
    this.#level(1, 0)
    if (value) this.#truths |= 1 << this.#truthBits
    if (++this.#truthBits === 8) this.#endTruths()
  }

  /** What a page is made of. Valid until more is added. */
  page(): LeafPage {
    if (this.#truthBits > 0) this.#endTruths()
    const { isListed } = this.leaf
    const bits = isListed ? 2 : 1
    return {
      repetition: isListed ? this.#repeats.encoded(1) : NOTHING,
      definition: this.#present.encoded(bits),
      values: this.values.view(),
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

  #endTruths(): void {
    this.values.byte(this.#truths)
    this.#truths = 0
    this.#truthBits = 0
  }
}

const NOTHING = new Uint8Array()

/** A column that takes the value of each row in turn. */
export interface ColumnWriter {
  readonly leaves: readonly LeafWriter[]
  add(value: unknown): void
}

export function columnWriter(type: ColumnType): ColumnWriter {
  const leaves = LEAVES[type].map((leaf) => new LeafWriter(leaf))
  const write = VALUE_WRITERS[type] as (leaves: readonly LeafWriter[], value: unknown) => void
  return {
    leaves,
    add(value) {
      if (value === undefined) for (const leaf of leaves) leaf.missing()
      else write(leaves, value)
    },
  }
}

type ValueWriters = {
  readonly [T in ColumnType]: (leaves: readonly LeafWriter[], value: ColumnValue[T]) => void
}

const number = ([leaf]: readonly LeafWriter[], value: number) => leaf?.number(value)

const VALUE_WRITERS: ValueWriters = {
  VARCHAR: ([leaf], value) => leaf?.text(value),
  BLOB: ([leaf], value) => leaf?.blob(value),
  DOUBLE: number,
  BIGINT: number,
  INTEGER: number,
  BOOLEAN: ([leaf], value) => leaf?.truth(value),
  'VARCHAR[]'([leaf], values) {
    if (values.length === 0) leaf?.emptyList()
    for (let i = 0; i < values.length; i++) leaf?.text(values[i] ?? '', i)
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
