import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { DuckDBConnection } from '@duckdb/node-api'
import { SEGMENT_COLUMNS } from '../../segment/segment-columns.ts'
import { sqlText } from '../sql-text.ts'
import type { PartBuffer, PartDirectory } from './part-buffer.ts'
import { type DurableFiles, type PartName, partFile, temporaryPartFile } from './segment-files.ts'

/**
 * Writes the pages of `buffer` as one part. Every file is whole and on the disk before any of them gets its name, and that of
 * `crawl_fetch` gets it last: it makes the part count. When something fails, nothing of the part stays.
 */
export async function writePart(
  connection: DuckDBConnection,
  files: DurableFiles,
  segmentPath: string,
  part: PartName,
  buffer: PartBuffer,
): Promise<void> {
  const directories = WRITING_ORDER.filter((directory) => buffer.rows[directory].length > 0)
  const pathOf = (directory: PartDirectory) => join(segmentPath, directory, partFile(part))
  const temporaryOf = (directory: PartDirectory) => join(segmentPath, directory, temporaryPartFile(part))
  try {
    for (const directory of directories)
      await writeFile(connection, temporaryOf(directory), directory, buffer)
    await Promise.all(directories.map((directory) => files.sync(temporaryOf(directory))))
    for (const directory of directories) {
      if (directory === 'crawl_fetch') continue
      await files.rename(temporaryOf(directory), pathOf(directory))
      await files.sync(join(segmentPath, directory))
    }
    await files.rename(temporaryOf('crawl_fetch'), pathOf('crawl_fetch'))
  } catch (error) {
    // The disk may be full: make room. What cannot be removed does not count, and goes when the segment is opened again.
    const leftovers = directories.flatMap((directory) => [temporaryOf(directory), pathOf(directory)])
    await Promise.allSettled(leftovers.map((path) => rm(path, { force: true })))
    throw error
  }
  await files.sync(join(segmentPath, 'crawl_fetch'))
}

const WRITING_ORDER = ['content', 'parse_text', 'parse_data', 'crawl_parse', 'crawl_fetch'] as const

/**
 * The rows go through a temporary table. As parameters of the statement they would take a third less of the main thread, but the copies
 * that DuckDB gets would live until the garbage collector comes by, which does not see their size.
 */
async function writeFile(
  connection: DuckDBConnection,
  path: string,
  directory: PartDirectory,
  { rows, bodies }: PartBuffer,
): Promise<void> {
  await connection.run('CREATE OR REPLACE TEMP TABLE staged (json VARCHAR, body BLOB)')
  const appender = await connection.createAppender('staged', null, 'temp')
  for (const [i, json] of rows[directory].entries()) {
    appender.appendVarchar(json)
    const body = directory === 'content' ? bodies[i] : undefined
    if (body === undefined) appender.appendNull()
    else appender.appendBlob(body)
    appender.endRow()
    // Copying a part takes some hundredths of a second; sockets are not to wait that long.
    if (i % ROWS_AT_ONCE === ROWS_AT_ONCE - 1) await setImmediate()
  }
  appender.closeSync()
  // The lowest level takes a third less time than the usual one, for a tenth more room.
  const format = '(FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1)'
  await connection.run(`COPY (${SELECT[directory]}) TO ${sqlText(path)} ${format}`)
  await connection.run('DROP TABLE staged')
}

const ROWS_AT_ONCE = 64

/** From rows as JSON to columns. */
const SELECT: Readonly<Record<PartDirectory, string>> = {
  content: `SELECT page.*, body FROM (SELECT from_json(json, ${shape('content')}) AS page, body FROM staged)`,
  parse_text: selectRows('parse_text'),
  parse_data: selectRows('parse_data'),
  crawl_parse: `
    SELECT coalesce(link.from_url, page_url) AS from_url, link.* EXCLUDE (from_url)
    FROM (
      SELECT page.from_url AS page_url, unnest(page.links) AS link
      FROM (SELECT from_json(json, ${sqlText(JSON.stringify({ from_url: 'VARCHAR', links: [SEGMENT_COLUMNS.crawl_parse] }))}) AS page FROM staged)
    )`,
  crawl_fetch: selectRows('crawl_fetch'),
}

function selectRows(directory: PartDirectory): string {
  return `SELECT page.* FROM (SELECT from_json(json, ${shape(directory)}) AS page FROM staged)`
}

/** What the JSON of a row looks like. A body does not go through JSON. */
function shape(directory: PartDirectory): string {
  const columns = Object.entries(SEGMENT_COLUMNS[directory]).filter(([, type]) => type !== 'BLOB')
  return sqlText(JSON.stringify(Object.fromEntries(columns)))
}
