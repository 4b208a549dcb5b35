import type { CrawlReadPorts } from '../crawl-directory/control/remote-reads.ts'
import type { SegmentFolder } from '../crawl-directory/segment-folder.ts'
import type { CrawlDirectory } from './open-crawl-directory.ts'

/** Where a crawl is read. */
export interface ReadSource {
  readonly kind: 'owner' | 'files'
  readonly directory: CrawlDirectory
}

/** A crawl directory of ports that can only read. */
export function readOnlyDirectory(
  path: string,
  segmentFolder: SegmentFolder,
  reads: CrawlReadPorts,
  close: () => Promise<void> = async () => {},
): CrawlDirectory {
  const refuse = () => Promise.reject(new Error(`${path} was opened read-only`))
  const changes = () => ({ [Symbol.asyncIterator]: () => ({ next: refuse }) })
  return {
    path,
    segmentsPath: segmentFolder.path,
    segmentFolder,
    db: {
      ...reads.db,
      ...{ inject: refuse, generate: refuse, update: refuse, abandon: refuse, release: refuse },
      ...{ markDuplicates: refuse, adopt: refuse, retryFailed: refuse, mergeRecords: refuse },
      ...{ changeNovelty: refuse },
    },
    links: { ...reads.links, invert: refuse, mergeLinks: refuse },
    reader: reads.reader,
    indexLedger: { changes, settle: refuse, finish: refuse, forget: refuse },
    items: reads.items,
    deadLetters: { ...reads.deadLetters, retryFailed: refuse },
    frontier() {
      throw new Error(`${path} was opened read-only`)
    },
    showLive() {},
    close,
  }
}
