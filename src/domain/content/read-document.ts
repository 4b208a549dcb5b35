import { withoutUndefined } from '../../base/without-undefined.ts'
import { createLinkResolver } from '../url/link-resolver.ts'
import type { LanguageDetector } from './detect-language.ts'
import { loadReader } from './documents/built-in-readers.ts'
import {
  type DocumentContent,
  DocumentError,
  type DocumentFailure,
  type DocumentReader,
} from './documents/document-reader.ts'
import { documentFormat } from './documents/document-types.ts'
import {
  DEFAULT_MAX_LINKS,
  DEFAULT_MAX_TEXT_CHARS,
  type FormatReading,
  NO_FINDINGS,
  primaryLanguage,
  unread,
} from './format-reader.ts'
import { resolveLinks } from './page-links.ts'
import type { PageInput, PageReading, ReadOptions } from './page-reading.ts'
import { finishReading, readSniffed, sniffPage } from './read-page.ts'
import type { PdfOptions } from './read-pdf.ts'
import type { SniffedType } from './sniff-type.ts'

/** Options of {@link readDocument}. */
export interface DocumentOptions extends ReadOptions {
  readonly pdf: PdfOptions
  /** Readers of the user, by type (`application/x-foo`) or by the end of the path (`.foo`). They come before the built-in ones. */
  readonly readers?: Readonly<Record<string, DocumentReader>>
  /** Bytes that a compressed document may expand to. @default 67108864 */
  readonly maxExpandedBytes?: number
  /** For pages that do not declare their language. @default none */
  readonly detectLanguage?: LanguageDetector
}

/**
 * `readPage`, and documents such as PDF or Word, too. Their readers are loaded when the first document of a format comes.
 * @example
 * const bytes = new TextEncoder().encode('{\\rtf1 A short document}')
 * const input = { url: 'https://example.org/a.rtf', headers: [['content-type', 'application/rtf']] as HeaderList, bytes }
 * const reading = await readDocument(input, { agent: 'my-bot', normalize: normalizeUrl, pdf: { clock: wallClock } })
 * reading.text // → 'A short document'
 */
export async function readDocument(input: PageInput, options: DocumentOptions): Promise<PageReading> {
  const reading = await read(input, options)
  const { detectLanguage } = options
  return detectLanguage === undefined ? reading : withLanguage(reading, detectLanguage)
}

async function withLanguage(reading: PageReading, detect: LanguageDetector): Promise<PageReading> {
  if (reading.language !== undefined) return reading
  const language = await detect(reading.text)
  if (language === undefined) return reading
  return { ...reading, language, metadata: { ...reading.metadata, languageSource: 'detected' } }
}

async function read(input: PageInput, options: DocumentOptions): Promise<PageReading> {
  const sniffed = sniffPage(input)
  const reader = userReader(input.url, sniffed, options) ?? (await builtInReader(sniffed, options))
  if (reader === undefined) return readSniffed(input, options, sniffed)
  return finishReading(input, options, sniffed, await readWith(reader, input, sniffed, options))
}

function userReader(url: string, { type, kind }: SniffedType, { readers }: DocumentOptions) {
  if (readers === undefined || kind === 'html') return undefined
  return own(readers, type) ?? own(readers, suffixOf(url))
}

/** `.foo` of `http://a.test/b/c.FOO?d`; `''` without one. */
function suffixOf(url: string): string {
  const path = url.split(/[?#]/, 1)[0] ?? ''
  const name = path.slice(path.lastIndexOf('/') + 1)
  return name.includes('.') ? name.slice(name.lastIndexOf('.')).toLowerCase() : ''
}

function own(readers: Readonly<Record<string, DocumentReader>>, key: string): DocumentReader | undefined {
  return Object.hasOwn(readers, key) ? readers[key] : undefined
}

async function builtInReader({ type, kind }: SniffedType, { pdf }: DocumentOptions) {
  if (kind !== 'pdf' && kind !== 'document') return undefined
  const format = documentFormat(type)
  if (format !== 'pdf') return format && loadReader(format)
  const { createPdfReader } = await import('./documents/pdf-reader.ts')
  return createPdfReader(pdf)
}

async function readWith(
  reader: DocumentReader,
  { url, bytes, truncated = false }: PageInput,
  { type, headerCharset }: SniffedType,
  options: DocumentOptions,
): Promise<FormatReading> {
  const { normalize, scan = {}, maxExpandedBytes = 64 * 1024 * 1024 } = options
  const { maxLinks = DEFAULT_MAX_LINKS, maxTextChars = DEFAULT_MAX_TEXT_CHARS } = scan
  try {
    const document = { url, bytes, type, ...withoutUndefined({ charset: headerCharset }) }
    const content = await reader(document, { maxTextChars, maxLinks, maxExpandedBytes })
    return findingsOf(content, url, { normalize, maxLinks, maxTextChars })
  } catch (error) {
    const reason = failureOf(error)
    const message = error instanceof Error ? error.message : String(error)
    const cause = truncated ? '; the body was truncated: a larger http.maxBodyBytes may help' : ''
    return unread(reason === 'library-missing' ? 'skipped' : 'failed', reason, message + cause)
  }
}

function failureOf(error: unknown): DocumentFailure {
  if (error instanceof DocumentError) return error.reason
  // A position after the end of the file.
  return error instanceof RangeError ? 'broken' : 'reader-failed'
}

function findingsOf(
  content: DocumentContent,
  url: string,
  {
    normalize,
    maxLinks,
    maxTextChars,
  }: { maxLinks: number; maxTextChars: number } & Pick<ReadOptions, 'normalize'>,
): FormatReading {
  const { text, title = '', description, links = [], linksDropped = 0, metadata, truncated = false } = content
  if (typeof text !== 'string') throw new TypeError('the reader returned no text')
  const found = links
    .slice(0, maxLinks)
    .map(({ href, anchor = '' }) => ({ href, anchor, rel: [], kind: 'document' as const }))
  const overLimit = linksDropped + links.length - found.length
  const language = primaryLanguage(content.language)
  return {
    ok: true,
    metas: [],
    truncated: truncated || overLimit > 0 || text.length > maxTextChars,
    findings: {
      ...NO_FINDINGS,
      title,
      text: text.slice(0, maxTextChars),
      ...withoutUndefined({ description, language, metadata }),
      ...resolveLinks(found, url, createLinkResolver(url, normalize), overLimit),
    },
  }
}
