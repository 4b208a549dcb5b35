import { withoutUndefined } from '../../base/without-undefined.ts'
import { header } from '../fetch/headers.ts'
import { mergeDirectives } from './directives.ts'
import {
  type FormatInput,
  type FormatReader,
  type FormatReading,
  NO_FINDINGS,
  unread,
} from './format-reader.ts'
import { gunzip } from './gunzip.ts'
import { primaryLanguage } from './language.ts'
import { md5Signature } from './md5-signature.ts'
import type { PageInput, PageReading, ReadOptions, SignatureKind, Signatures } from './page-reading.ts'
import { pageUsagePreferences } from './page-usage-preferences.ts'
import { readFeed, readJson } from './read-feed.ts'
import { readHtml } from './read-html.ts'
import { readSitemapPage } from './read-sitemap.ts'
import { readText } from './read-text.ts'
import { simHash } from './sim-hash.ts'
import { type PageKind, type SniffedType, sniffType } from './sniff-type.ts'
import { textProfileSignature } from './text-profile-signature.ts'

/**
 * Reads a response of any kind: what it is, what it says, where it leads, what it asks of its readers. Depends on its
 * arguments alone and never throws, whatever the bytes and headers. PDFs are named, not read: `readDocument` does that.
 */
export function readPage(input: PageInput, options: ReadOptions): PageReading {
  return readSniffed(input, options, sniffPage(input))
}

/** What the body of a response is. */
export function sniffPage({ url, headers, bytes }: PageInput): SniffedType {
  return sniffType(bytes, header(headers, 'content-type'), url)
}

/** `readPage`, for a response whose type is known. */
export function readSniffed(input: PageInput, options: ReadOptions, sniffed: SniffedType): PageReading {
  const { url, bytes, truncated = false } = input
  const body = { url, bytes, headerCharset: sniffed.headerCharset, truncated }
  return finishReading(input, options, sniffed, readBody(body, sniffed, options))
}

/** Adds what the headers say and what is computed from the findings. */
export function finishReading(
  input: PageInput,
  { agent, signatures = ['md5', 'text-profile', 'sim-hash'] }: ReadOptions,
  { type, kind, declared }: SniffedType,
  reading: FormatReading,
): PageReading {
  const { url, headers, bytes } = input
  const findings = reading.ok ? reading.findings : NO_FINDINGS
  const metas = reading.ok ? reading.metas : []
  const directives = mergeDirectives({ headers, metas, agent })
  const language = findings.language ?? primaryLanguage(header(headers, 'content-language'))
  return {
    ...findings,
    ...withoutUndefined({ language }),
    url,
    status: reading.ok ? 'parsed' : reading.status,
    ...(!reading.ok && { reason: reading.reason, detail: reading.detail }),
    type,
    kind,
    ...withoutUndefined({ declaredType: declared }),
    truncated: input.truncated === true || (reading.ok && reading.truncated),
    directives,
    followable: !directives.nofollow,
    usage: pageUsagePreferences(headers, metas),
    signatures: sign(signatures, bytes, url, findings.text),
  }
}

const READERS: Readonly<Partial<Record<PageKind, FormatReader>>> = {
  html: readHtml,
  text: readText,
  feed: readFeed,
  json: readJson,
  sitemap: readSitemapPage,
}

function readBody(body: FormatInput, { kind, type }: SniffedType, options: ReadOptions): FormatReading {
  if (kind === 'gzip') return readGzip(body, options)
  if (kind === 'pdf') return unread('skipped', 'needs-library', 'a PDF is read by a library of its own')
  return READERS[kind]?.(body, options) ?? unread('skipped', 'unsupported-type', `${type} is not read`)
}

/** What a sitemap may decode to, which is the largest thing that is published gzipped and read by us. */
const MAX_GUNZIPPED_BYTES = 50 * 1024 * 1024

/** A file that is itself gzipped (`sitemap.xml.gz`), once or by mistake twice. Other archives are not opened. */
function readGzip(body: FormatInput, options: ReadOptions): FormatReading {
  let { bytes, truncated } = body
  let inner: SniffedType | undefined
  for (let layer = 0; layer < 2 && (inner === undefined || inner.kind === 'gzip'); layer++) {
    const opened = gunzip(bytes, MAX_GUNZIPPED_BYTES)
    if (opened === undefined) return unread('failed', 'bad-gzip', 'nothing in the gzip file can be decoded')
    bytes = opened.bytes
    truncated ||= opened.truncated
    inner = sniffType(bytes, undefined, body.url.replace(/\.gz$/i, ''))
  }
  const reader = inner && READERS[inner.kind]
  if (reader === undefined) return unread('skipped', 'unsupported-type', `${inner?.type} in gzip is not read`)
  const reading = reader({ ...body, bytes, truncated }, options)
  return reading.ok ? { ...reading, truncated: reading.truncated || truncated } : reading
}

function sign(kinds: readonly SignatureKind[], bytes: Uint8Array, url: string, text: string): Signatures {
  const md5 = kinds.includes('md5') ? md5Signature(bytes, url) : undefined
  const textProfile = kinds.includes('text-profile')
    ? (textProfileSignature(text) ?? md5 ?? md5Signature(bytes, url))
    : undefined
  const fingerprint = kinds.includes('sim-hash') ? simHash(text) : undefined
  return withoutUndefined({ md5, textProfile, simHash: fingerprint })
}
