import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigurationError } from '../../base/crawl-error.ts'
import type { Session } from './session.ts'

/** One part of what came of a segment. */
export interface SegmentPart {
  readonly segment: string
  /** The name of its files, the same in each directory. */
  readonly part: string
}

/** The parts of these segments that are not folded in yet; with `all`, those that are too. A part counts once its crawl_fetch file is there. */
export async function unfoldedParts(
  session: Session,
  segmentsPath: string,
  segments: readonly string[],
  all: boolean,
): Promise<SegmentPart[]> {
  const folded = await session.all<SegmentPart>('SELECT segment, part FROM folded_parts')
  const done = new Set(all ? [] : folded.map(({ segment, part }) => `${segment}/${part}`))
  const parts: SegmentPart[] = []
  for (const segment of segments) {
    if (!(await isDirectory(join(segmentsPath, segment)))) {
      throw new ConfigurationError('SEGMENT_UNUSABLE', `there is no segment ${segment} in ${segmentsPath}`)
    }
    for (const part of await parquetFiles(join(segmentsPath, segment, 'crawl_fetch'))) {
      if (!done.has(`${segment}/${part}`)) parts.push({ segment, part })
    }
  }
  return parts
}

/** The Parquet files of a directory, by name; none when there is no such directory. Files still being written have other names. */
export async function parquetFiles(directory: string): Promise<string[]> {
  try {
    const names = await readdir(directory)
    return names.filter((name) => name.startsWith('part-') && name.endsWith('.parquet')).sort()
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    await readdir(path)
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}
