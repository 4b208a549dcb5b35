import { SEGMENT_COLUMNS, type SegmentDirectory } from '../../domain/segment/segment-columns.ts'

/** The columns of the files of a segment, by their types in Spark. */
export const SEGMENT_TYPES = Object.fromEntries(
  Object.entries(SEGMENT_COLUMNS).map(([directory, columns]) => [
    directory,
    Object.fromEntries(Object.entries(columns).map(([name, type]) => [name, sparkType(type)])),
  ]),
) as Readonly<Record<SegmentDirectory, Readonly<Record<string, string>>>>

function sparkType(type: string): string {
  if (type.endsWith('[]'))
    return type.startsWith('STRUCT') ? 'ARRAY<STRUCT<name: STRING, value: STRING>>' : 'ARRAY<STRING>'
  return { VARCHAR: 'STRING', INTEGER: 'INT', UBIGINT: 'DECIMAL(20, 0)', BLOB: 'BINARY' }[type] ?? type
}
