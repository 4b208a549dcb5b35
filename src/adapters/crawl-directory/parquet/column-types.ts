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
