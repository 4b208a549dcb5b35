import type { CrawlDb } from '../../domain/crawldb/crawl-db.ts'
import type { SegmentStore } from '../../domain/segment/segment-store.ts'

/** A segment to resume. */
export interface ResumedSegment {
  readonly segment: string
  /** URLs to fetch now. */
  readonly urls: number
  /** All its URLs without a result. */
  readonly left: number
}

/** The segments that an earlier run left unfinished. A page limit may be less than their URLs: then the last one is taken in parts. */
export class UnfinishedSegments {
  readonly #db: Pick<CrawlDb, 'segments'>
  readonly #segments: Pick<SegmentStore, 'info' | 'followed'>
  #names: string[] = []

  constructor(db: Pick<CrawlDb, 'segments'>, segments: Pick<SegmentStore, 'info' | 'followed'>) {
    this.#db = db
    this.#segments = segments
  }

  /** Reads their names from the CrawlDb, oldest first. */
  async load(): Promise<readonly string[]> {
    const segments = await this.#db.segments()
    this.#names = segments.filter(({ state }) => state === 'generated').map(({ name }) => name)
    return this.#names
  }

  get size(): number {
    return this.#names.length
  }

  /** The next segment, or the next part of it, whose fetched part must be on disk. `undefined`: there is none. */
  async take(maxUrls: number): Promise<ResumedSegment | undefined> {
    const [segment] = this.#names
    if (segment === undefined) return undefined
    const [{ generated, fetched }, followed] = await Promise.all([
      this.#segments.info(segment),
      this.#segments.followed(segment),
    ])
    const left = Math.max(0, generated - (fetched - followed.length))
    if (left <= maxUrls) this.#names.shift()
    return { segment, urls: Math.min(left, maxUrls), left }
  }
}

/**
 * Releases the URLs of fetch lists whose segments were deleted; otherwise they would wait for a result forever. Returns their number.
 */
export async function freeLostSegments(
  db: Pick<CrawlDb, 'segments' | 'abandon'>,
  segments: Pick<SegmentStore, 'list'>,
): Promise<number> {
  const present = new Set(await segments.list())
  let freed = 0
  for (const { name, state } of await db.segments())
    if (state === 'generated' && !present.has(name)) freed += await db.abandon(name)
  return freed
}
