import type { FetchListEntry, PageRecord } from '../src/domain/segment/segment-rows.ts'
import type {
  FetchCount,
  OpenRedirect,
  SegmentAppender,
  SegmentInfo,
  SegmentStore,
  UnparsedPage,
} from '../src/domain/segment/segment-store.ts'

/** Segments in memory. Rows count once they are flushed; `kill()` loses the others, as a crash does. */
export class MemorySegments
  implements
    Pick<
      SegmentStore,
      'list' | 'info' | 'remaining' | 'followed' | 'openRedirects' | 'fetchCounts' | 'append' | 'unparsed'
    >
{
  readonly #segments: Map<string, MemorySegment>
  readonly #batchSize: number
  /** Rows that this process has not flushed, by segment. */
  readonly #buffers = new Map<string, PageBuffer>()

  constructor(batchSize = 100, segments = new Map<string, MemorySegment>()) {
    this.#batchSize = batchSize
    this.#segments = segments
  }

  /** The same segments, as another process sees them. */
  elsewhere(): MemorySegments {
    return new MemorySegments(this.#batchSize, this.#segments)
  }

  /** A new segment with this fetch list. An entry may be given by its URL alone. */
  generate(name: string, list: ReadonlyArray<string | FetchListEntry>): void {
    const entries = list.map((entry) =>
      typeof entry === 'string' ? { url: entry, sortValue: 1, score: 1, metadata: {} } : entry,
    )
    this.#segments.set(name, { entries, pages: [] })
  }

  /** Flushed rows. */
  onDisk(name: string): readonly PageRecord[] {
    return this.#segment(name).pages
  }

  /** The process is killed: rows that it had not flushed are lost, and it writes no more rows. */
  kill(): void {
    this.#buffers.clear()
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
    const buffer: PageBuffer = { pages: [], flushed: Promise.withResolvers() }
    this.#buffers.set(name, buffer)
    // If the buffer was replaced or removed, its process was killed.
    return new MemoryAppender(this.#segment(name), buffer, () => this.#buffers.get(name) === buffer)
  }

  async openRedirects(name: string): Promise<readonly OpenRedirect[]> {
    const { entries, pages } = this.#segment(name)
    const fetched = new Map(pages.map((page) => [page.fetch.url, page.fetch]))
    const open = new Map<string, OpenRedirect>()
    for (const { url, kind, fromUrl } of pages.flatMap(({ links = [] }) => links)) {
      if (kind === 'link' || fetched.has(url) || open.has(url)) continue
      const chain: [string, ...string[]] = [fromUrl]
      for (let from = fetched.get(fromUrl)?.redirectedFrom; from !== undefined; ) {
        chain.unshift(from)
        from = fetched.get(from)?.redirectedFrom
      }
      const entry = entries.find((one) => one.url === chain[0])
      if (entry !== undefined) open.set(url, { url, chain, entry })
    }
    return [...open.values()]
  }

  async fetchCounts(name: string, since: number): Promise<readonly FetchCount[]> {
    const last = new Map(this.#segment(name).pages.map(({ fetch }) => [fetch.url, fetch]))
    return [...last.values()].flatMap((row) =>
      row.fetchedAt >= Math.floor(since) ? [{ row, fetches: 1 }] : [],
    )
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
}

interface PageBuffer {
  pages: PageRecord[]
  flushed: PromiseWithResolvers<void>
}

const FLUSH_AT = 7

class MemoryAppender implements SegmentAppender {
  readonly #segment: MemorySegment
  readonly #buffer: PageBuffer
  readonly #isAlive: () => boolean
  #closed = false

  constructor(segment: MemorySegment, buffer: PageBuffer, isAlive: () => boolean) {
    this.#segment = segment
    this.#buffer = buffer
    this.#isAlive = isAlive
  }

  async add(page: PageRecord): Promise<void> {
    if (this.#closed) throw new Error('the appender is closed')
    const { pages, flushed } = this.#buffer
    const { content } = page
    pages.push(
      content === undefined
        ? page
        : { ...page, content: { ...content, body: Uint8Array.from(content.body) } },
    )
    if (pages.length >= FLUSH_AT) await this.flush()
    await flushed.promise
  }

  async addParsed(parsed: readonly Omit<PageRecord, 'content'>[]): Promise<void> {
    const byUrl = new Map(parsed.map((page) => [page.fetch.url, page]))
    this.#segment.pages = this.#segment.pages.map((page) => ({ ...page, ...byUrl.get(page.fetch.url) }))
  }

  async room(): Promise<void> {}

  async flush(): Promise<void> {
    if (!this.#isAlive()) return
    this.#segment.pages.push(...this.#buffer.pages.splice(0))
    this.#buffer.flushed.resolve()
    this.#buffer.flushed = Promise.withResolvers()
  }

  async close(): Promise<void> {
    await this.flush()
    this.#closed = true
  }
}
