import { basename, join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { SEGMENT_DIRECTORIES } from '../../../domain/segment/segment-columns.ts'
import type { FileCheck } from '../../../domain/segment/segment-inspector.ts'
import { listSegments, segmentFiles } from '../../crawl-directory/segment-files.ts'
import { Session } from '../session.ts'
import { incompleteParts } from './incomplete-parts.ts'
import { segmentSource } from './segment-source.ts'

/**
 * Reads every column of every committed file below `segmentsPath`, one file at a time, and yields the result of each; then
 * the parts with pages whose content is missing.
 * The files have no checksums: bytes that were changed without breaking the format are not noticed.
 */
export async function* checkFiles(segmentsPath: string): AsyncGenerator<FileCheck> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const session = new Session(await instance.connect())
  try {
    for (const segment of await listSegments(segmentsPath)) {
      const files = await segmentFiles(join(segmentsPath, segment))
      let isReadable = true
      for (const directory of SEGMENT_DIRECTORIES) {
        for (const file of files[directory]) {
          const reason = await damageOf(session, segmentSource(directory, [file]))
          const part = basename(file)
          if (reason !== undefined) isReadable = false
          yield { file, ...(reason !== undefined && { damage: { segment, directory, part, file, reason } }) }
        }
      }
      if (!isReadable) continue
      for (const damage of await incompleteParts(session, segmentsPath, segment))
        yield { file: damage.file, damage }
    }
  } finally {
    session.close()
    instance.closeSync()
  }
}

async function damageOf(session: Session, source: string): Promise<string | undefined> {
  try {
    // Each value is decoded, a row group at a time: nothing is gathered in memory.
    await session.all(`SELECT bit_xor(hash(COLUMNS(*))) FROM ${source}`)
    return undefined
  } catch (error) {
    if (!isDamage(error)) throw error
    return reasonOf(error)
  }
}

/**
 * Whether DuckDB could open a file but not decode it. A file that this user may not open is not damaged, nor is one that was removed meanwhile or that
 * has other columns than ours.
 */
export function isDamage(error: unknown): boolean {
  const message = error instanceof Error ? error.message : String(error)
  return DECODING.test(message) && !OPENING.test(message)
}

const DECODING = /^(?:Invalid Input|Invalid|Serialization|Conversion|IO) Error: /
const OPENING = /no files found|permission denied|too many open files|cannot open file|database file/i

/** Whether DuckDB did not find a file that was there when it was listed. */
export function isDeletion(error: unknown): boolean {
  const message = error instanceof Error ? error.message : String(error)
  return /^IO Error: .*(?:no files found|no such file or directory)/is.test(message)
}

/** `Invalid Input Error: No magic bytes …` without the kind of the error and the excerpt of our SQL. */
export function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  const [text = message] = message.split('\n\nLINE ')
  return text
    .replace(/^[A-Z][A-Za-z ]* Error: /, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
