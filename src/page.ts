/** `orbweaver/page`: from the bytes of a response to text, title, links, directives and signatures. */

export { decodeText } from './domain/content/decode-text.ts'
export { type Directives, mergeDirectives } from './domain/content/directives.ts'
export type {
  DocumentContent,
  DocumentInput,
  DocumentLimits,
  DocumentReader,
} from './domain/content/documents/document-reader.ts'
export type { PageInput, PageLink, PageReading, ReadOptions } from './domain/content/page-reading.ts'
export { MAX_SITEMAP_DEPTH, parseSitemap, type Sitemap } from './domain/content/parse-sitemap.ts'
export { type DocumentOptions, readDocument } from './domain/content/read-document.ts'
export { readPage } from './domain/content/read-page.ts'
export { textProfileSignature } from './domain/content/signatures.ts'
export { hammingDistance, simHash } from './domain/content/sim-hash.ts'
export { sniffType } from './domain/content/sniff-type.ts'
export type { HtmlLink, HtmlScan, ScanOptions } from './domain/html/html-scan.ts'
export { scanHtml } from './domain/html/scan-html.ts'
