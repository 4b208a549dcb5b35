import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { openObjectStore } from '../adapters/object-store/open-object-store.ts'
import type { ObjectStoreSettings } from '../adapters/object-store/s3-endpoint.ts'
import { ConfigurationError } from '../base/crawl-error.ts'
import type { EventLog } from '../base/event-log.ts'
import { ifExists } from '../base/if-exists.ts'
import type { ObjectStore } from '../domain/object-store/object-store.ts'
import { parseObjectStoreUrl } from '../domain/object-store/object-store-url.ts'

/**
 * Puts a file, or all files of a folder, into an object store. They are written to a temporary folder first: an object is complete or absent.
 * @param write is given the path to write to
 * @throws ConfigurationError, ObjectStoreUnavailable, ObjectStoreRefused
 */
export async function exportToObjects<T>(
  url: string,
  settings: ObjectStoreSettings,
  log: EventLog,
  write: (path: string) => Promise<T>,
): Promise<T> {
  const { bucket, prefix } = parseObjectStoreUrl(url)
  const name = prefix.split('/').at(-1) ?? ''
  if (name === '')
    throw new ConfigurationError(
      'EXPORT_INVALID',
      `${url}: name an object, such as s3://${bucket}/pages.warc.gz`,
    )
  const store = await openObjectStore(`s3://${bucket}/${prefix.slice(0, -name.length)}`, settings, { log })
  const folder = await mkdtemp(join(tmpdir(), 'orbweaver-export-'))
  try {
    // An export may take hours: a wrong bucket or a missing permission is reported before.
    await store.checkPut(name)
    const path = join(folder, name)
    const result = await write(path)
    await putAll(store, folder, path)
    return result
  } finally {
    await rm(folder, { recursive: true, force: true })
    await store.close()
  }
}

/** Without pages there may be no file. */
async function putAll(store: ObjectStore, folder: string, path: string): Promise<void> {
  const written = await ifExists(stat(path))
  if (written === undefined) return
  const entries = written.isDirectory() ? await readdir(path, { recursive: true, withFileTypes: true }) : []
  const files = written.isDirectory()
    ? entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
    : [path]
  let next = 0
  const putSome = async (): Promise<void> => {
    for (let file = files[next++]; file !== undefined; file = files[next++])
      await store.put(relative(folder, file), { file })
  }
  await Promise.all(Array.from({ length: PARALLEL_PUTS }, putSome))
}

const PARALLEL_PUTS = 8
