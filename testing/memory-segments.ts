import type { FetchListEntry, PageRecord } from '../src/segment/segment-rows.ts'
import type {
  SegmentAppender,
  SegmentInfo,
  SegmentStore,
  UnparsedPage,
} from '../src/segment/segment-store.ts'

/** Segments in memory. Rows count once they are flushed; `kill()` loses the others, as a crash does. */
export class MemorySegments
  implements Pick<SegmentStore, 'list' | 'info' | 'remaining' | 'followed' | 'append' | 'unparsed'>
{
  readonly #segments = new Map<string, MemorySegment>()
  readonly #batchSize: number

  constructor(batchSize = 100) {
    this.#batchSize = batchSize
  }

  /** A new segment with this fetch list. An entry may be given by its URL alone. */
  generate(name: string, list: ReadonlyArray<string | FetchListEntry>): void {
    const entries = list.map((entry) =>
      typeof entry === 'string' ? { url: entry, sortValue: 1, score: 1, metadata: {} } : entry,
    )
    this.#segments.set(name, { entries, pages: [], buffer: [] })
  }

  /** What is on disk. */
  onDisk(name: string): readonly PageRecord[] {
    return this.#segment(name).pages
  }

  /** The process ends at once: what it had not flushed is lost, and it writes nothing more. */
  kill(): void {
    for (const segment of this.#segments.values()) segment.buffer = []
  }

  async list(): Promise<string[]> {
    return [...this.#segments.keys()].sort()
  }

  async info(name: string): Promise<SegmentInfo> {
    const { entries, pages } = this.#segment(name)
    const parsed = pages.filter((page) => page.parseData !== undefined).length
    const complete = this.#left(name).length === 0
    return { name, generated: entries.length, fetched: pages.length, parsed, complete }
  }

  async *remaining(name: string): AsyncGenerator<readonly FetchListEntry[]> {
    const left = this.#left(name)
    for (let i = 0; i < left.length; i += this.#batchSize) yield left.slice(i, i + this.#batchSize)
  }

  async followed(name: string): Promise<readonly string[]> {
    return this.#segment(name)
      .pages.filter(({ fetch }) => fetch.redirectedFrom !== undefined)
      .map(({ fetch }) => fetch.url)
  }

  async append(name: string): Promise<SegmentAppender> {
    const segment = this.#segment(name)
    segment.buffer = []
    return new MemoryAppender(segment)
  }

  async *unparsed(name: string): AsyncGenerator<readonly UnparsedPage[]> {
    const { entries, pages } = this.#segment(name)
    const byUrl = new Map(entries.map((entry) => [entry.url, entry]))
    for (const { content, parseData, fetch } of [...pages]) {
      if (content === undefined || parseData !== undefined) continue
      const { score = 1, metadata = {} } = byUrl.get(fetch.redirectedFrom ?? fetch.url) ?? {}
      yield [{ content, fetch, score, metadata }]
    }
  }

  #left(name: string): FetchListEntry[] {
    const { entries, pages } = this.#segment(name)
    const done = new Set(pages.map((page) => page.fetch.url))
    return entries.filter(({ url }) => !done.has(url)).sort((a, b) => b.sortValue - a.sortValue)
  }

  #segment(name: string): MemorySegment {
    const segment = this.#segments.get(name)
    if (segment === undefined) throw new Error(`there is no segment ${name}`)
    return segment
  }
}

interface MemorySegment {
  readonly entries: readonly FetchListEntry[]
  pages: PageRecord[]
  buffer: PageRecord[]
}

const FLUSH_AT = 7

class MemoryAppender implements SegmentAppender {
  readonly #segment: MemorySegment
  readonly #buffer: PageRecord[]
  #closed = false

  constructor(segment: MemorySegment) {
    this.#segment = segment
    this.#buffer = segment.buffer
  }

  async add(page: PageRecord): Promise<void> {
    if (this.#closed) throw new Error('the appender is closed')
    this.#buffer.push(page)
    if (this.#buffer.length >= FLUSH_AT) await this.flush()
  }

  async addParsed(parsed: readonly Omit<PageRecord, 'content'>[]): Promise<void> {
    const byUrl = new Map(parsed.map((page) => [page.fetch.url, page]))
    this.#segment.pages = this.#segment.pages.map((page) => ({ ...page, ...byUrl.get(page.fetch.url) }))
  }

  async room(): Promise<void> {}

  async flush(): Promise<void> {
    // Another buffer has taken the place of this one: the process that had it is dead.
    if (this.#segment.buffer === this.#buffer) this.#segment.pages.push(...this.#buffer.splice(0))
  }

  async close(): Promise<void> {
    await this.flush()
    this.#closed = true
  }
}
