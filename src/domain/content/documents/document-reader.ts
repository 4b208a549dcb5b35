/** A document of a format that is not HTML, text or a feed. */
export interface DocumentInput {
  readonly url: string
  /** The body. Only valid until the reader returns; copy the parts you want to keep. */
  readonly bytes: Uint8Array
  /** The detected type, in lower case: `application/rtf`. */
  readonly type: string
  /** The charset parameter of the Content-Type header, as written. */
  readonly charset?: string
}

/** Limits that a reader must respect. Its time is limited, too: the thread of a reader that takes too long is terminated. */
export interface DocumentLimits {
  readonly maxTextChars: number
  readonly maxLinks: number
  /** Bytes that the parts of a compressed document may expand to, together. */
  readonly maxExpandedBytes: number
}

/** A link in a document, with its text if it has one. */
export interface DocumentLink {
  /** As written; it is resolved against the URL of the document. */
  readonly href: string
  readonly anchor?: string
}

/** What a reader found. */
export interface DocumentContent {
  /** Paragraphs end with a line end; cells of a table are separated by tabs. */
  readonly text: string
  readonly title?: string
  readonly description?: string
  /** A language tag: `en-GB`. */
  readonly language?: string
  readonly links?: readonly DocumentLink[]
  /** Links that `maxLinks` left out. @default 0 */
  readonly linksDropped?: number
  /** Stored with the parsed page: `author`, `published`, `modified`, `keywords`, or names of your own. */
  readonly metadata?: Readonly<Record<string, string>>
  /** Something was left out because of a limit. @default false */
  readonly truncated?: boolean
}

/**
 * Reads one format. It runs in the parser threads, so it cannot share state with other code. What it throws is the reason of the failed
 * parse of this page.
 */
export type DocumentReader = (
  document: DocumentInput,
  limits: DocumentLimits,
) => DocumentContent | Promise<DocumentContent>

/** Why a document cannot be read. `library-missing`: the message says what to install. */
export type DocumentFailure =
  | 'library-missing'
  | 'too-large'
  | 'encrypted'
  | 'broken'
  | 'too-slow'
  | 'reader-failed'

/** Thrown by the built-in readers. */
export class DocumentError extends Error {
  readonly reason: DocumentFailure

  constructor(reason: DocumentFailure, message: string) {
    super(message)
    this.reason = reason
  }
}
