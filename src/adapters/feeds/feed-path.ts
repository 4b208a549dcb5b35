import { access, constants, mkdir, readdir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { ifExists } from '../../base/if-exists.ts'
import { BATCH } from './feed-target.ts'

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

/** The path of a batch; `path` itself where there are none. */
export function batchPath(path: string, batch: number): string {
  return path.replaceAll(BATCH, String(batch).padStart(5, '0'))
}

/** The existing files of a feed, of all batches and all crawls. */
export async function feedFiles(path: string): Promise<string[]> {
  const name = basename(path)
  const isOurs = (file: string) => {
    const number = /^\d{5,}/.exec(file.slice(name.indexOf(BATCH)))?.[0]
    return number !== undefined && name.replaceAll(BATCH, number) === file
  }
  const files = await readdir(dirname(path))
  return files
    .filter(name.includes(BATCH) ? isOurs : (file) => file === name)
    .map((file) => join(dirname(path), file))
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
