import { access, constants, mkdir, readdir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { ifExists } from '../../base/if-exists.ts'
import type { FeedState } from './feed-states.ts'
import { BATCH, TIME } from './feed-target.ts'

/**
 * Makes the directories of a feed's file. Returns its real path, the same for every way to write it.
 * @throws ConfigurationError when no file can be written there
 */
export async function prepareFeedPath(path: string): Promise<string> {
  try {
    const absolute = resolve(path)
    await mkdir(dirname(absolute), { recursive: true })
    const real = await ifExists(realpath(absolute))
    if (real === undefined) {
      const directory = await realpath(dirname(absolute))
      await access(directory, constants.W_OK)
      return join(directory, basename(absolute))
    }
    await checkPlain(real, path)
    await access(real, constants.W_OK)
    return real
  } catch (error) {
    if (error instanceof ConfigurationError) throw error
    throw new ConfigurationError(
      'EXPORT_INVALID',
      `cannot write ${path}: ${(error as Error).message}; name another file`,
      {
        cause: error,
      },
    )
  }
}

/** The current file of a feed; `path` itself if it has no placeholders. */
export function currentFile(path: string, { batch, time = 0 }: Pick<FeedState, 'batch' | 'time'>): string {
  // A colon is not allowed in names of files on some systems.
  const timeText = new Date(time).toISOString().replaceAll(':', '-')
  return path.replaceAll(BATCH, String(batch).padStart(5, '0')).replaceAll(TIME, timeText)
}

/** The existing files of a feed, of all batches and all crawls. */
export async function feedFiles(path: string): Promise<string[]> {
  const files = await readdir(dirname(path))
  return files.filter((file) => isFeedFile(basename(path), file)).map((file) => join(dirname(path), file))
}

/** Whether `file` is one of the feed called `name`. With `{time}`, each run has its own files, so that those of others are not. */
export function isFeedFile(name: string, file: string): boolean {
  if (name.includes(TIME)) return false
  if (!name.includes(BATCH)) return file === name
  const number = /^\d{5,}/.exec(file.slice(name.indexOf(BATCH)))?.[0]
  return number !== undefined && name.replaceAll(BATCH, number) === file
}

/** In bytes; `undefined`: there is no such file. */
export async function sizeOf(file: string): Promise<number | undefined> {
  return (await ifExists(stat(file)))?.size
}

async function checkPlain(file: string, path: string): Promise<void> {
  const there = await stat(file)
  if (there.isDirectory())
    throw new ConfigurationError(
      'EXPORT_INVALID',
      `${path} is a directory: name a file in it, such as ${join(path, 'items.jsonl')}`,
    )
  if (!there.isFile())
    throw new ConfigurationError(
      'EXPORT_INVALID',
      `${path} is not a regular file; for the standard output give -`,
    )
}
