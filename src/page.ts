/**
 * From the bytes of a response to text, title, links, directives and signatures.
 * @module orbweaver/page
 */

export {
  type CharsetSource,
  type DecodedText,
  type DecodeOptions,
  decodeText,
} from './domain/content/decode-text.ts'
export type { LanguageDetector } from './domain/content/detect-language.ts'
export {
  type DirectiveInput,
  type DirectiveSource,
  type Directives,
  mergeDirectives,
} from './domain/content/directives.ts'
export type {
  DocumentContent,
  DocumentFailure,
  DocumentInput,
  DocumentLimits,
  DocumentReader,
} from './domain/content/documents/document-reader.ts'
export type {
  LinkListing,
  PageInput,
  PageLink,
  PageReading,
  ReadOptions,
  SignatureKind,
  Signatures,
  UnreadReason,
} from './domain/content/page-reading.ts'
export type { PageUsagePreference } from './domain/content/page-usage-preferences.ts'
export {
  MAX_SITEMAP_DEPTH,
  parseSitemap,
  type Sitemap,
  type SitemapEntry,
  type SitemapOptions,
} from './domain/content/parse-sitemap.ts'
export { type DocumentOptions, readDocument } from './domain/content/read-document.ts'
export { readPage } from './domain/content/read-page.ts'
export type { PdfOptions } from './domain/content/read-pdf.ts'
export { textProfileSignature } from './domain/content/signatures.ts'
export { hammingDistance, simHash } from './domain/content/sim-hash.ts'
export { type PageKind, type SniffedType, sniffType } from './domain/content/sniff-type.ts'
export type {
  Alternate,
  FeedLink,
  HtmlLink,
  HtmlScan,
  LinkKind,
  MetaTag,
  ScanOptions,
} from './domain/html/html-scan.ts'
export type { MetaRefresh } from './domain/html/meta-refresh.ts'
export { scanHtml } from './domain/html/scan-html.ts'
