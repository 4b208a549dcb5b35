import type { SegmentDirectory } from '../../segment/segment-columns.ts'
import type { PageRecord } from '../../segment/segment-rows.ts'
import { contentJson, fetchJson, linksJson, parseDataJson, parseTextJson } from './row-json.ts'

/** The directories that fetching and parsing add to. */
export type PartDirectory = Exclude<SegmentDirectory, 'crawl_generate'>

/** Pages waiting to be written as one part: rows as JSON, and the bodies beside them. */
export class PartBuffer {
  readonly rows: Readonly<Record<PartDirectory, string[]>> = {
    content: [],
    parse_text: [],
    parse_data: [],
    crawl_parse: [],
    crawl_fetch: [],
  }
  /** By the position of their row in `content`. */
  readonly bodies: Uint8Array[] = []
  /** About what it holds in memory. */
  bytes = 0

  get isEmpty(): boolean {
    return this.rows.crawl_fetch.length === 0
  }

  add(page: PageRecord): void {
    const { fetch, content, parseText, parseData, links } = page
    this.#push('crawl_fetch', fetchJson(fetch))
    if (content !== undefined) {
      this.#push('content', contentJson(content))
      this.bodies.push(content.body)
      this.bytes += content.body.byteLength
    }
    if (parseText !== undefined) this.#push('parse_text', parseTextJson(parseText))
    if (parseData !== undefined) this.#push('parse_data', parseDataJson(parseData))
    if (links !== undefined && links.length > 0) this.#push('crawl_parse', linksJson(fetch.url, links))
  }

  #push(directory: PartDirectory, json: string): void {
    this.rows[directory].push(json)
    this.bytes += json.length
  }
}
