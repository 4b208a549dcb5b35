import { basename } from 'node:path'
import { SEGMENT_DIRECTORIES, type SegmentDirectory } from '../../../domain/segment/segment-columns.ts'
import type { FileCheck } from '../../../domain/segment/segment-inspector.ts'
import type { SegmentFiles } from '../../crawl-directory/segment-files.ts'
import { holding, type SegmentFolder } from '../../crawl-directory/segment-folder.ts'
import { openInstance } from '../open-instance.ts'
import { Session } from '../session.ts'
import { incompleteParts } from './incomplete-parts.ts'
import { segmentSource } from './segment-source.ts'

/**
 * Reads every committed file, and yields the result of each and the parts with pages whose content is missing.
 * The files have no checksums: bytes that were changed without breaking the format are not noticed.
 */
export function checkFiles(folder: SegmentFolder): AsyncGenerator<FileCheck> {
  return readFiles(folder, async function* (session, segment, { crawl_fetch }) {
    const incomplete = await holding(folder, crawl_fetch, () =>
      incompleteParts(session, segment, crawl_fetch),
    )
    for (const damage of incomplete) yield { file: damage.file, damage }
  })
}

/**
 * Reads every column of every committed file, one file at a time.
 * @param next called after each segment whose files can be read; the table `stored_content` then has the URLs of its content
 */
export async function* readFiles(
  folder: SegmentFolder,
  next?: (session: Session, segment: string, files: SegmentFiles) => AsyncGenerator<FileCheck>,
): AsyncGenerator<FileCheck> {
  const instance = await openInstance(':memory:', { threads: '1' })
  const session = new Session(await instance.connect())
  try {
    for (const segment of await folder.list()) {
      const files = await folder.files(segment)
      if (files === undefined) continue
      let isReadable = true
      await session.run('CREATE OR REPLACE TEMP TABLE stored_content (url VARCHAR)')
      for (const directory of SEGMENT_DIRECTORIES) {
        for (const file of files[directory]) {
          const reason = await holding(folder, [file], async () => {
            const damage = await damageOf(session, directory, file)
            const isRenewed = damage !== undefined && (await folder.renew(file))
            return isRenewed ? damageOf(session, directory, file) : damage
          })
          const part = basename(file)
          if (reason !== undefined) isReadable = false
          yield { file, ...(reason !== undefined && { damage: { segment, directory, part, file, reason } }) }
        }
      }
      if (isReadable && next !== undefined) yield* next(session, segment, files)
    }
  } finally {
    session.close()
    instance.closeSync()
  }
}

async function damageOf(
  session: Session,
  directory: SegmentDirectory,
  file: string,
): Promise<string | undefined> {
  const source = segmentSource(directory, [file])
  try {
    // Each value is decoded, a row group at a time: nothing is gathered in memory.
    await session.all(`SELECT bit_xor(hash(COLUMNS(*))) FROM ${source}`)
    if (directory === 'content') await session.run(`INSERT INTO stored_content SELECT url FROM ${source}`)
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
