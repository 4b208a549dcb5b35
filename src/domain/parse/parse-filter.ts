import type { PageLink, PageReading } from '../content/page-reading.ts'
import type { HeaderList } from '../fetch/headers.ts'

/** A page as a parse filter sees it. */
export interface ReadPage {
  readonly url: string
  readonly headers: HeaderList
  /** The body as it came, decoded. Gone when the page is parsed: keep a copy of what you want to keep. */
  readonly bytes: Uint8Array
  /** What was read from it, and what the filters before this one made of its links. */
  readonly reading: PageReading
  /** Of the page's record: what its seed line said, its depth. */
  readonly metadata: Readonly<Record<string, string>>
}

/** What a parse filter changes. What is absent stays as it is. */
export interface ParseChange {
  /** Added to the parse data; a later filter wins over an earlier one. */
  readonly metadata?: Readonly<Record<string, string>>
  /** In place of the page's links: some of them, or others in normal form. The link policy judges them afterwards. */
  readonly links?: readonly PageLink[]
}

/** A rule of the operator's own over parsed pages. It runs in the parse workers, so it cannot share state with anything. */
export interface ParseFilter {
  readonly name: string
  /** A throw makes the parse of this page a failed one, with the filter's name in the reason. */
  filter(page: ReadPage): ParseChange | undefined | Promise<ParseChange | undefined>
}
