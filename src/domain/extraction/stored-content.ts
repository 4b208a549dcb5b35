import { decodeText } from '../content/decode-text.ts'
import { sniffType } from '../content/sniff-type.ts'
import { header } from '../fetch/headers.ts'
import type { RecordedPage } from '../segment/segment-store.ts'
import { buildTree } from '../selectors/document.ts'
import { plainMarkdown } from './markdown/plain-markdown.ts'
import { ContentReader, type PageDescription, type PageDetails } from './page-content.ts'
import type { StructuredData } from './structured-data.ts'

/** The main content of a stored page. */
export interface StoredContent {
  describe(): PageDescription
  /** The part of the description that needs no title. */
  details(): PageDetails
  text(): string
  /** h1 to h3, in order. */
  headings(): string[]
  /** Blocks of Markdown, to be separated by empty lines. */
  markdownBlocks(): string[]
  readonly structured: StructuredData
}

/**
 * Reads the main content of a stored page: from its body if that is HTML, otherwise from the text that was parsed. `undefined`:
 * the page has no text.
 */
export function storedContent({
  fetch,
  content,
  parseData,
  parseText,
}: RecordedPage): StoredContent | undefined {
  if (parseText === undefined) return undefined
  if (content !== undefined && content.body.length > 0) {
    const { kind, headerCharset } = sniffType(
      content.body,
      header(content.headers, 'content-type'),
      fetch.url,
    )
    if (kind === 'html') {
      const { text: html } = decodeText(content.body, { syntax: 'html', headerCharset })
      return new ContentReader(buildTree(html, 'html'), fetch.url)
    }
  }
  const { text } = parseText
  const { title = '', language, description } = parseData ?? {}
  const details = { ...(description && { description }) }
  return {
    describe: () => ({ title, ...(language && { lang: language }), ...details }),
    details: () => details,
    text: () => text,
    headings: () => [],
    markdownBlocks: () => plainMarkdown(text),
    structured: { jsonLd: [], openGraph: {}, microdata: [] },
  }
}
