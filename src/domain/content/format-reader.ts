import type { MetaTag } from '../html/html-scan.ts'
import type { PageFindings, ReadOptions, UnreadReason } from './page-reading.ts'

/** A body whose format is known. */
export interface FormatInput {
  readonly url: string
  readonly bytes: Uint8Array
  readonly headerCharset: string | undefined
  readonly truncated: boolean
  /** The detected type. */
  readonly type?: string
}

/** What came of a body: findings, or why there are none. */
export type FormatReading =
  | {
      readonly ok: true
      readonly findings: PageFindings
      readonly metas: readonly MetaTag[]
      /** Something was cut by a limit. */
      readonly truncated: boolean
    }
  | {
      readonly ok: false
      readonly status: 'failed' | 'skipped'
      readonly reason: UnreadReason
      readonly detail: string
    }

/** Reads one format. Never throws, whatever the bytes. */
export type FormatReader = (input: FormatInput, options: ReadOptions) => FormatReading

/** The limits of a scan hold for every format. */
export const DEFAULT_MAX_LINKS = 200_000
export const DEFAULT_MAX_TEXT_CHARS = 1_000_000

export const NO_FINDINGS: PageFindings = {
  title: '',
  text: '',
  links: [],
  rejectedLinks: {},
  alternates: [],
  feeds: [],
}

export function unread(status: 'failed' | 'skipped', reason: UnreadReason, detail: string): FormatReading {
  return { ok: false, status, reason, detail }
}

/** The primary subtag (`en` of `en-GB`), in lower case, of the first of the tags that is one. */
export function primaryLanguage(...tags: ReadonlyArray<string | undefined>): string | undefined {
  for (const tag of tags) {
    const [, primary] = /^\s*([a-z]{2,3})(?![a-z\d])/i.exec(tag ?? '') ?? []
    if (primary !== undefined) return primary.toLowerCase()
  }
  return undefined
}
