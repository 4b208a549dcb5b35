import type { Clock } from '../../base/clock.ts'
import type { DocumentFailure } from './documents/document-reader.ts'

/** Limits of the PDF reader. */
export interface PdfOptions {
  readonly clock: Clock
  /** Larger files are not opened. @default 33554432 */
  readonly maxBytes?: number
  /** Pages that are read. @default 200 */
  readonly maxPages?: number
  /** Characters of text that are kept. @default 1000000 */
  readonly maxTextChars?: number
  /** @default 200000 */
  readonly maxLinks?: number
  /**
   * Time for the whole document. It is looked at between pages: one page that keeps the processor busy for ever is stopped
   * only by ending the thread it runs in. @default 20000
   */
  readonly maxMs?: number
  /** Loads the PDF library. @default `import('unpdf')` */
  readonly loadLibrary?: () => Promise<unknown>
}

export type PdfFailure = Exclude<DocumentFailure, 'reader-failed'>

export type PdfReading =
  | {
      readonly kind: 'read'
      readonly title: string
      /** `author`, `keywords`, `subject`, `published`, `modified`, as far as the file has them. */
      readonly properties: Readonly<Record<string, string>>
      /** Pages are divided by an empty line. */
      readonly text: string
      /** Where its links lead, as written. */
      readonly hrefs: readonly string[]
      /** Links over `maxLinks`. */
      readonly hrefsDropped: number
      readonly pageCount: number
      /** Pages, text or links went over their limit. */
      readonly truncated: boolean
    }
  | { readonly kind: 'failed'; readonly reason: PdfFailure; readonly detail: string }

/** Title, text and links of a PDF. Whatever is wrong with the file is a value; `bytes` are not changed. */
export async function readPdf(bytes: Uint8Array, options: PdfOptions): Promise<PdfReading> {
  const { clock, maxBytes = 32 * 1024 * 1024, maxMs = 20_000, loadLibrary = () => import('unpdf') } = options
  if (bytes.length > maxBytes)
    return failed('too-large', `${bytes.length} bytes, and at most ${maxBytes} are opened`)
  let library: PdfLibrary
  try {
    library = (await loadLibrary()) as PdfLibrary
  } catch {
    return failed('library-missing', 'reading PDF needs the package unpdf: npm install unpdf')
  }
  const deadline = new Deadline(clock, maxMs)
  // The library takes the memory it is given for itself; the page's bytes are still wanted.
  const opening = library.getDocumentProxy(bytes.slice(), { verbosity: 0 })
  try {
    return await readPages(await deadline.race(opening), options, deadline)
  } catch (error) {
    if (error instanceof OutOfTime) return failed('too-slow', `not read within ${maxMs} ms`)
    const { name, message } = error instanceof Error ? error : new Error(String(error))
    return failed(name === 'PasswordException' ? 'encrypted' : 'broken', message)
  } finally {
    deadline.end()
    // Also one that opens only after the time was over. Errors of closing it do not matter: the outcome is already decided.
    opening.then((document) => document.destroy()).catch(() => {})
  }
}

async function readPages(
  document: PdfDocument,
  options: PdfOptions,
  deadline: Deadline,
): Promise<PdfReading> {
  const { maxPages = 200, maxTextChars = 1_000_000, maxLinks = 200_000 } = options
  const { info } = await deadline.race(document.getMetadata())
  const pages: string[] = []
  const hrefs: string[] = []
  let chars = 0
  let truncated = document.numPages > maxPages
  for (let number = 1; number <= Math.min(document.numPages, maxPages); number++) {
    const page = await deadline.race(document.getPage(number))
    const content = await deadline.race(page.getTextContent())
    const text = textOf(content.items).slice(0, maxTextChars - chars)
    const annotations = await deadline.race(page.getAnnotations())
    for (const { url, unsafeUrl } of annotations) {
      const href = url ?? unsafeUrl
      if (href !== undefined) hrefs.push(href)
    }
    page.cleanup()
    pages.push(text)
    chars += text.length
    if (chars >= maxTextChars || hrefs.length > maxLinks) {
      truncated = true
      break
    }
  }
  const text = pages.filter((page) => page !== '').join('\n\n')
  return {
    kind: 'read',
    title: oneLine(info.Title),
    properties: propertiesOf(info),
    text,
    hrefs: hrefs.slice(0, maxLinks),
    hrefsDropped: Math.max(0, hrefs.length - maxLinks),
    pageCount: document.numPages,
    truncated,
  }
}

function propertiesOf(info: PdfInfo): Record<string, string> {
  const found = {
    author: oneLine(info.Author),
    keywords: oneLine(info.Keywords),
    subject: oneLine(info.Subject),
    published: isoDate(info.CreationDate),
    modified: isoDate(info.ModDate),
  }
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== ''))
}

function oneLine(value: unknown): string {
  return typeof value === 'string' ? value.replace(/\s+/g, ' ').trim() : ''
}

const PDF_DATE = /^D:(\d{4})(\d{2})?(\d{2})?(\d{2})?(\d{2})?(\d{2})?(?:Z|([+-]\d{2})'?(\d{2})?)?/

/** `D:20261117120000+01'00'`; parts after the year may be missing. */
function isoDate(value: unknown): string {
  const match = typeof value === 'string' ? PDF_DATE.exec(value) : null
  if (match === null) return ''
  const [
    ,
    year,
    month = '01',
    day = '01',
    hour = '00',
    minute = '00',
    second = '00',
    zone,
    zoneMinutes = '00',
  ] = match
  const text = `${year}-${month}-${day}T${hour}:${minute}:${second}`
  return zone === undefined ? `${text}Z` : `${text}${zone}:${zoneMinutes}`
}

function textOf(items: readonly PdfTextItem[]): string {
  return items
    .map(({ str = '', hasEOL }) => (hasEOL ? `${str}\n` : str))
    .join('')
    .replace(/[^\S\n]+/g, ' ')
    .trim()
}

function failed(reason: PdfFailure, detail: string): PdfReading {
  return { kind: 'failed', reason, detail }
}

class OutOfTime extends Error {}

/** Gives up on a promise when the time is over. */
class Deadline {
  readonly #over: Promise<never>
  readonly end: () => void

  constructor(clock: Clock, ms: number) {
    const { promise, reject } = Promise.withResolvers<never>()
    this.#over = promise
    this.end = clock.after(ms, () => reject(new OutOfTime()))
    // The time limit may pass while nothing waits for it.
    promise.catch(() => {})
  }

  race<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#over])
  }
}

/** The part of unpdf (and of its PDF.js) that is used. */
interface PdfLibrary {
  getDocumentProxy(bytes: Uint8Array, options: object): Promise<PdfDocument>
}

interface PdfDocument {
  readonly numPages: number
  getMetadata(): Promise<{ readonly info: PdfInfo }>
  getPage(number: number): Promise<PdfPage>
  destroy(): Promise<void>
}

type PdfInfo = Readonly<
  Partial<Record<'Title' | 'Author' | 'Keywords' | 'Subject' | 'CreationDate' | 'ModDate', unknown>>
>

interface PdfPage {
  getTextContent(): Promise<{ readonly items: readonly PdfTextItem[] }>
  getAnnotations(): Promise<ReadonlyArray<{ readonly url?: string; readonly unsafeUrl?: string }>>
  cleanup(): void
}

interface PdfTextItem {
  readonly str?: string
  readonly hasEOL?: boolean
}
