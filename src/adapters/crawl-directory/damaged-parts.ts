import { mkdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { DurableFiles } from '../../base/durable-files.ts'
import { SEGMENT_DIRECTORIES } from '../../domain/segment/segment-columns.ts'
import type { UnreadableFile } from '../../domain/segment/segment-inspector.ts'

/**
 * Moves all files of these parts to `damaged/<time>/<segment>/<directory>/` of the crawl directory. The file of `crawl_fetch` goes first: without it
 * a part does not count, so that nothing ever reads half of it.
 */
export async function setPartsAside(
  disk: DurableFiles,
  directory: string,
  parts: readonly Pick<UnreadableFile, 'segment' | 'part'>[],
  now: number,
): Promise<string> {
  const folder = await newFolder(join(directory, 'damaged'), now)
  for (const { segment, part } of parts) {
    for (const name of SEGMENT_DIRECTORIES.toReversed()) {
      const from = join(directory, 'segments', segment, name, part)
      const to = join(folder, segment, name, part)
      if ((await stat(from).catch(() => undefined)) === undefined) continue
      await mkdir(dirname(to), { recursive: true })
      await disk.rename(from, to)
      await disk.sync(dirname(to))
      await disk.sync(dirname(from))
    }
  }
  return folder
}

/** `20260115080000`, or `20260115080000-2` when there is one: files of an earlier repair are never replaced. */
async function newFolder(parent: string, now: number): Promise<string> {
  await mkdir(parent, { recursive: true })
  const time = new Date(now).toISOString().replaceAll(/\D/g, '').slice(0, 14)
  for (let n = 1; ; n++) {
    const folder = join(parent, n === 1 ? time : `${time}-${n}`)
    try {
      await mkdir(folder)
      return folder
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}
