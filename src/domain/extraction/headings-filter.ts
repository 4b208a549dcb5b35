import { decodeText } from '../content/decode-text.ts'
import type { ParseFilter } from '../parse/parse-rules.ts'
import { parseDocument } from '../selectors/document.ts'

/** Characters of all headings of one level. */
const MAX_CHARS = 20_000

/** Adds the headings of HTML pages to their metadata, by level: `h1`, `h2`; several are separated by line ends. */
export function createHeadingsFilter(levels: readonly string[]): ParseFilter {
  return {
    name: 'parse.headings',
    filter({ bytes, reading }) {
      if (reading.kind !== 'html' || reading.status !== 'parsed') return undefined
      const { text: html } = decodeText(bytes, { syntax: 'html', headerCharset: reading.charset })
      const page = parseDocument(html, { kind: 'html' })
      const metadata: Record<string, string> = {}
      for (const level of levels) {
        const headings = [...page.css(level)].map((heading) => heading.text().replace(/\s+/g, ' ').trim())
        const found = headings.filter((heading) => heading !== '').join('\n')
        if (found !== '') metadata[level] = found.slice(0, MAX_CHARS)
      }
      return { metadata }
    },
  }
}
