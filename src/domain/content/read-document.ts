import { createLinkResolver } from '../url/link-resolver.ts'
import { type FormatReading, NO_FINDINGS, unread } from './format-reader.ts'
import { resolveLinks } from './page-links.ts'
import type { PageInput, PageReading, ReadOptions } from './page-reading.ts'
import { finishReading, readSniffed, sniffPage } from './read-page.ts'
import { type PdfOptions, readPdf } from './read-pdf.ts'

export interface DocumentOptions extends ReadOptions {
  readonly pdf: PdfOptions
}

/** `readPage`, and PDFs too, with the library that is loaded when the first one comes. */
export async function readDocument(input: PageInput, options: DocumentOptions): Promise<PageReading> {
  const sniffed = sniffPage(input)
  if (sniffed.kind !== 'pdf') return readSniffed(input, options, sniffed)
  const reading = await readPdf(input.bytes, { ...options.scan, ...options.pdf })
  return finishReading(input, options, sniffed, pdfReading(input.url, reading, options))
}

function pdfReading(
  url: string,
  pdf: Awaited<ReturnType<typeof readPdf>>,
  { normalize }: ReadOptions,
): FormatReading {
  if (pdf.kind === 'failed') {
    return unread(pdf.reason === 'library-missing' ? 'skipped' : 'failed', pdf.reason, pdf.detail)
  }
  const found = pdf.hrefs.map((href) => ({ href, anchor: '', rel: [], kind: 'pdf' as const }))
  return {
    ok: true,
    metas: [],
    truncated: pdf.truncated,
    findings: {
      ...NO_FINDINGS,
      title: pdf.title,
      text: pdf.text,
      ...resolveLinks(found, url, createLinkResolver(url, normalize), pdf.hrefsDropped),
    },
  }
}
