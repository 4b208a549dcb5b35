import type { HeaderList } from '../fetch/headers.ts'
import type { FeedLink, LinkKind, ScanOptions } from '../html/html-scan.ts'
import type { UrlNormalizer } from '../url/normalize-url.ts'
import type { CharsetSource } from './decode-text.ts'
import type { Directives } from './directives.ts'
import type { DocumentFailure } from './documents/document-reader.ts'
import type { PageUsagePreference } from './page-usage-preferences.ts'
import type { Sitemap } from './parse-sitemap.ts'
import type { PageKind } from './sniff-type.ts'

/** The response to a request, as far as reading it needs. */
export interface PageInput {
  /** Absolute, normalised. */
  readonly url: string
  readonly headers: HeaderList
  readonly bytes: Uint8Array
  /** The body is shorter than what the server had. @default false */
  readonly truncated?: boolean
}

/** Fingerprints of a page: of its bytes, of its frequent words, and of its phrases (`sim-hash`, `sketch`). */
export type SignatureKind = 'md5' | 'text-profile' | 'sim-hash' | 'sketch'

/** Options of {@link readPage}. */
export interface ReadOptions {
  /** Our product token, for directives that are meant for us alone. */
  readonly agent: string
  /** How links are brought into their normal form. */
  readonly normalize: UrlNormalizer
  /** Limits on links and text, and which elements are links. */
  readonly scan?: ScanOptions
  /** @default all */
  readonly signatures?: readonly SignatureKind[]
}

/**
 * What was read from a response. A plain record that can be sent between threads. Its strings may share memory with the
 * page: copy what is kept for long.
 */
export interface PageReading extends PageFindings {
  readonly url: string
  readonly status: 'parsed' | 'failed' | 'skipped'
  /** Why it is not `parsed`. */
  readonly reason?: UnreadReason
  /** For people. */
  readonly detail?: string
  /** The detected type, whatever the header says. */
  readonly type: string
  readonly kind: PageKind
  /** The type in the header. */
  readonly declaredType?: string
  /** The body, its text or its links were cut by a limit. */
  readonly truncated: boolean
  readonly directives: Directives
  /** False when the page says nofollow: its links are recorded, not to be followed. */
  readonly followable: boolean
  readonly usage: readonly PageUsagePreference[]
  readonly signatures: Signatures
}

/** Findings of a reader; fields that a format does not have are empty. */
export interface PageFindings {
  /** WHATWG name. */
  readonly charset?: string
  readonly charsetSource?: CharsetSource
  /** `''` without one. */
  readonly title: string
  /** `''` without one. Also set for a page with noindex. */
  readonly text: string
  readonly description?: string
  /** The primary subtag, in lower case: `en` for `en-GB`. */
  readonly language?: string
  /** Normalised, each once, in order of appearance. */
  readonly links: readonly PageLink[]
  /** Links that could not be used, by reason; `over-limit`: more than the reader keeps. */
  readonly rejectedLinks: Readonly<Record<string, number>>
  readonly refresh?: { readonly seconds: number; readonly url: string }
  /** A hint: which URL the page would like to have. */
  readonly canonical?: { readonly url: string; readonly crossHost: boolean }
  readonly alternates: ReadonlyArray<{ readonly language: string; readonly url: string }>
  readonly feeds: ReadonlyArray<{
    readonly url: string
    readonly title: string
    readonly format: FeedLink['format']
  }>
  /** The entries with their dates, when the page is a sitemap. */
  readonly sitemap?: Sitemap
  /** What a document says about itself (`author`, `published`), or a reader of the user found. @default {} */
  readonly metadata?: Readonly<Record<string, string>>
}

/** A link of a page, resolved and in its normal form. */
export interface PageLink {
  readonly url: string
  /** `''`: none. */
  readonly anchor: string
  /** Lower case. */
  readonly rel: readonly string[]
  /** The element it came from, or what else it was found in. */
  readonly kind: LinkKind | 'text' | 'feed' | 'sitemap' | 'document'
  /** What a sitemap or feed says about its target; absent: nothing. */
  readonly listed?: LinkListing
}

/** What a sitemap or feed says about a page. Claims of the site, which may be wrong. */
export interface LinkListing {
  /** When it last changed (ms since the epoch). */
  readonly lastModified?: number
  /** `hourly`, `daily` and so on. */
  readonly changeFrequency?: string
  /** 0 to 1; absent in feeds. */
  readonly priority?: number
  /** The target is a sitemap. @default false */
  readonly isSitemap?: boolean
}

/** Each in hex; absent if not requested. */
export interface Signatures {
  readonly md5?: string
  /** The MD5 of the content when the text has no words. */
  readonly textProfile?: string
  /** Absent, too, when the text has no words. */
  readonly simHash?: string
  /** See `TextFingerprints`. Absent, too, when the text has no words. */
  readonly sketch?: string
}

/** `needs-library`: a PDF or another document, which `readDocument` reads. */
export type UnreadReason = 'unsupported-type' | 'needs-library' | 'not-a-feed' | 'bad-gzip' | DocumentFailure
