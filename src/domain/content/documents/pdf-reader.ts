import type { PdfOptions } from '../read-pdf.ts'
import { readPdf } from '../read-pdf.ts'
import { DocumentProperties } from './document-properties.ts'
import { DocumentError, type DocumentReader } from './document-reader.ts'

/** PDF, with the package unpdf. */
export function createPdfReader(options: PdfOptions): DocumentReader {
  return async ({ bytes }, { maxTextChars, maxLinks }) => {
    const pdf = await readPdf(bytes, { maxTextChars, maxLinks, ...options })
    if (pdf.kind === 'failed') throw new DocumentError(pdf.reason, pdf.detail)
    const properties = new DocumentProperties()
    for (const [property, value] of Object.entries(pdf.properties)) properties.set(property, value)
    return {
      ...properties.properties(),
      title: pdf.title,
      text: pdf.text,
      links: pdf.hrefs.map((href) => ({ href })),
      linksDropped: pdf.hrefsDropped,
      truncated: pdf.truncated,
    }
  }
}
