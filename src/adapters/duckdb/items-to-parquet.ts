import { open, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { privateFolder, writeByName } from '../../base/durable-files.ts'
import { explainFailure } from './explain-failure.ts'
import { openInstance } from './open-instance.ts'
import { Session, sqlName, sqlText } from './session.ts'

/**
 * The `TableWriter` for Parquet. Columns are the union of the rows' keys; DuckDB looks at every value to find their types: objects are structs,
 * or maps when their keys vary, arrays lists; text that is a date, a time or a UUID throughout is stored as one; what has no type in
 * common stays JSON text. Times with a date are instants, marked as UTC; one without a zone is taken as UTC. Two keys that differ in case alone are `a` and `A_1`.
 */
export async function itemsToParquet(file: string, rows: AsyncIterable<readonly string[]>): Promise<number> {
  const folder = await privateFolder(file)
  try {
    const staged = join(folder, 'rows')
    const { count, longestBytes } = await stage(rows, staged)
    if (count > 0) await writeByName(file, (path) => convert(staged, path, longestBytes))
    return count
  } catch (error) {
    throw await explainFailure(error, dirname(file))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** All rows must be read to find the types before the first can be written, so rows are buffered in a file, not in memory. */
async function stage(
  rows: AsyncIterable<readonly string[]>,
  path: string,
): Promise<{ count: number; longestBytes: number }> {
  const file = await open(path, 'w')
  let count = 0
  let longestBytes = 0
  try {
    for await (const some of rows) {
      for (const row of some) longestBytes = Math.max(longestBytes, Buffer.byteLength(row))
      count += some.length
      if (some.length > 0) await file.appendFile(`${some.join('\n')}\n`)
    }
  } finally {
    await file.close()
  }
  return { count, longestBytes }
}

async function convert(from: string, to: string, longestBytes: number): Promise<void> {
  const maxRowBytes = Math.max(DEFAULT_ROW_BYTES, 2 * longestBytes)
  const instance = await openInstance(':memory:', {
    memory_limit: `${Math.ceil((MEMORY_ROWS * maxRowBytes) / 1_000_000)}MB`,
  })
  try {
    const session = new Session(await instance.connect())
    const source = `read_json(${sqlText(from)}, format = 'newline_delimited', sample_size = -1, maximum_object_size = ${maxRowBytes})`
    // Timestamps without a zone are cast as times of this zone.
    await session.run(`SET TimeZone = 'UTC'`)
    await session.run(
      `COPY (SELECT ${await columnsInUtc(session, source)} FROM ${source}) TO ${sqlText(to)} (FORMAT parquet, COMPRESSION zstd)`,
    )
    session.close()
  } finally {
    instance.closeSync()
  }
}

/** All columns; those with timestamps, also within structs and lists, with timestamps that have a zone. */
async function columnsInUtc(session: Session, source: string): Promise<string> {
  const columns = await session.all<{ column_name: string; column_type: string }>(`DESCRIBE FROM ${source}`)
  const casts = columns.flatMap(({ column_name: name, column_type: type }) => {
    const inUtc = type.replaceAll(QUOTED_NAME_OR_TIMESTAMP, (found) =>
      found === 'TIMESTAMP' ? 'TIMESTAMP WITH TIME ZONE' : found,
    )
    return inUtc === type ? [] : [`${sqlName(name)}::${inUtc} AS ${sqlName(name)}`]
  })
  return casts.length === 0 ? '*' : `* REPLACE (${casts.join(', ')})`
}

/** The keys of a struct may be anything; those that are not plain words are quoted. */
const QUOTED_NAME_OR_TIMESTAMP = /"(?:[^"]|"")*"|\bTIMESTAMP\b/g

/** The default of DuckDB. Its buffers are twice this size, so a larger limit is set only if a row needs it. */
const DEFAULT_ROW_BYTES = 16 * 1024 * 1024

/** Largest row that fits into the memory limit: 530 MB unless a row is larger than 8 MB. */
const MEMORY_ROWS = 32
