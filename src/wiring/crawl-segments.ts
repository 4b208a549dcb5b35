import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Settings } from '../adapters/config/config-schema.ts'
import { ObjectSegmentFolder } from '../adapters/crawl-directory/object-segments/object-segment-folder.ts'
import { lockHolderName } from '../adapters/crawl-directory/segment-files.ts'
import { LocalSegmentFolder, type SegmentFolder } from '../adapters/crawl-directory/segment-folder.ts'
import { readSegmentLocation, writeSegmentLocation } from '../adapters/crawl-directory/segment-location.ts'
import { type OpenObjectStoreOptions, openObjectStore } from '../adapters/object-store/open-object-store.ts'
import { ConfigurationError } from '../base/crawl-error.ts'
import type { ObjectStore } from '../domain/object-store/object-store.ts'

/** Where the segments of a crawl directory are. */
export interface CrawlSegments {
  readonly folder: SegmentFolder
  /** The store that has them; absent: they are in the directory. */
  readonly store?: ObjectStore
  /** For an object store: the name of a process that holds the lock, which no process on any machine shares. */
  readonly writer?: string
  close(): Promise<void>
}

/**
 * What a process does with segments: the owner of the crawl directory generates and updates them, a worker of a fleet adds parts to them. Both
 * remember their store in the directory.
 */
export type SegmentUse = 'read' | 'own' | 'work'

/**
 * The segments of a crawl directory: in the object store of the settings, otherwise in the one that the directory remembers, otherwise in the
 * directory itself.
 * @throws ConfigurationError if the segments are in another store, or the store has those of another crawl
 */
export async function openCrawlSegments(
  dir: string,
  settings: Pick<Settings, 'segments' | 'segmentCacheMb' | 'objectStore'>,
  use: SegmentUse,
  access: Pick<OpenObjectStoreOptions, 'log' | 'maxAttempts'> = {},
): Promise<CrawlSegments> {
  const path = join(dir, 'segments')
  const remembered = await readSegmentLocation(dir)
  const location = settings.segments?.replace(/\/+$/, '') ?? remembered
  if (location === undefined) return { folder: new LocalSegmentFolder(path), close: async () => {} }
  if (remembered !== undefined && remembered !== location)
    throw new ConfigurationError(
      'OPTION_INVALID',
      `the segments of ${dir} are in ${remembered}, not in ${location}. To move them, copy all objects to ${location}, then change ${join(dir, 'segments.json')}`,
    )
  const store = await openObjectStore(location, settings.objectStore, access)
  if (use !== 'read' && remembered === undefined) await remember(dir, location, store, use)
  const folder = new ObjectSegmentFolder(path, store, settings.segmentCacheMb * 1_000_000)
  return { folder, store, writer: lockHolderName(true), close: () => store.close() }
}

/** Checks the store first, so that a directory does not remember a wrong name or a store that it may only read. */
async function remember(dir: string, location: string, store: ObjectStore, use: SegmentUse): Promise<void> {
  try {
    for await (const _ of store.list('_segments/')) {
      if (use === 'own') throw usedByAnotherCrawl(dir, location)
      break
    }
    await store.checkPut('_segments/check')
    await mkdir(dir, { recursive: true })
    await writeSegmentLocation(dir, location)
  } catch (error) {
    await store.close()
    throw error
  }
}

function usedByAnotherCrawl(dir: string, location: string): ConfigurationError {
  const file = join(dir, 'segments.json')
  return new ConfigurationError(
    'OPTION_INVALID',
    `${location} has the segments of another crawl already, and each crawl needs a prefix of its own. Choose another one. To update ${dir} from these segments, copy segments.json of the other crawl to ${file} first`,
  )
}
