import { join, resolve } from 'node:path'
import type { Settings } from '../adapters/config/config-schema.ts'
import { stateFolder } from '../adapters/feeds/staging-folder.ts'
import type { EventLog } from '../base/event-log.ts'
import type { FileStore } from '../domain/files/file-store.ts'
import { isObjectStoreUrl } from '../domain/object-store/object-store-url.ts'
import { fileOptionsOf } from '../flows/spider/request-pipeline.ts'
import type { AnySpider } from '../flows/spider/spider-definition.ts'

/**
 * The store of downloaded files; `undefined`: the run has no place for files. A place that the user names is checked at once. The default one
 * is opened with the first file, so that a crawl without files has no folder for them, and does not load this code.
 */
export async function openFiles(
  spider: AnySpider,
  { files, dir }: { readonly files?: string; readonly dir?: string },
  settings: Settings,
  log: EventLog,
): Promise<FileStore | undefined> {
  const named = files ?? fileOptionsOf(spider).store
  if (named !== undefined) return openPlace(named, dir, settings, log)
  return dir === undefined
    ? undefined
    : new LateFileStore(() => openPlace(join(dir, 'files'), dir, settings, log))
}

async function openPlace(
  place: string,
  dir: string | undefined,
  { objectStore }: Settings,
  log: EventLog,
): Promise<FileStore> {
  const [{ HashedFileStore }, { PartialFolder }, { FolderPlace, ObjectPlace }] = await Promise.all([
    import('../adapters/files/hashed-file-store.ts'),
    import('../adapters/files/partial-folder.ts'),
    import('../adapters/files/file-place.ts'),
  ])
  if (!isObjectStoreUrl(place)) {
    const partial = new PartialFolder(join(resolve(place), '.partial'))
    await partial.open()
    return new HashedFileStore(new FolderPlace(resolve(place)), partial)
  }
  const { openObjectStore } = await import('../adapters/object-store/open-object-store.ts')
  const store = await openObjectStore(place, objectStore, { log })
  try {
    await store.checkPut('.urls/check')
    const partial = new PartialFolder(join(dir === undefined ? stateFolder() : dir, 'files', '.partial'))
    await partial.open()
    return new HashedFileStore(new ObjectPlace(store), partial)
  } catch (error) {
    await store.close()
    throw error
  }
}

/** Opens a store when it is first used. */
class LateFileStore implements FileStore {
  readonly #open: () => Promise<FileStore>
  #store: Promise<FileStore> | undefined

  constructor(open: () => Promise<FileStore>) {
    this.#open = open
  }

  async find(url: string) {
    return (await this.#opened()).find(url)
  }

  async remember(file: Parameters<FileStore['remember']>[0]) {
    return (await this.#opened()).remember(file)
  }

  async begin(...args: Parameters<FileStore['begin']>) {
    return (await this.#opened()).begin(...args)
  }

  async close(): Promise<void> {
    // One that could not be opened has been reported.
    await (await this.#store?.catch(() => undefined))?.close()
  }

  #opened(): Promise<FileStore> {
    this.#store ??= this.#open()
    return this.#store
  }
}
