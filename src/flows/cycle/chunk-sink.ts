import { type ChunkOptions, chunkBlocks } from '../../domain/extraction/chunk-blocks.ts'
import { BETWEEN_BLOCKS } from '../../domain/extraction/markdown/markdown-of.ts'
import type { PageSink } from '../../domain/segment/page-sink.ts'
import { fingerprint64 } from '../../domain/url/fingerprint.ts'
import { markdownDocument } from './markdown-sink.ts'

/**
 * One line of JSON per chunk of a page. Offsets are those of the Markdown of the page, as `markdownSink` writes it after the front matter.
 * An id depends on the URL and the text of the chunk: it stays the same when other parts of the page change.
 * @param write called with whole lines
 */
export function chunkSink(write: (lines: string) => Promise<void>, options: ChunkOptions): PageSink {
  return {
    async write(page) {
      const document = markdownDocument(page)
      if (document === undefined) return
      const { blocks, description } = document
      const { title, lang = page.parseData?.language, published } = description
      const markdown = blocks.join(BETWEEN_BLOCKS)
      const { url } = page.fetch
      const seen = new Map<string, number>()
      const lines = chunkBlocks(blocks, options).map(({ start, end, breadcrumbs }, index) => {
        const text = markdown.slice(start, end)
        const before = seen.get(text) ?? 0
        seen.set(text, before + 1)
        const id = fingerprint64(`${url}\n${before}\n${text}`).toString(16).padStart(16, '0')
        return `${JSON.stringify({ id, url, title, lang, published, breadcrumbs, index, start, end, text })}\n`
      })
      if (lines.length > 0) await write(lines.join(''))
    },
    close: async () => undefined,
  }
}
