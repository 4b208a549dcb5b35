import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { CandidatePage } from './find-candidates.ts'
import type { RankedGroup } from './group-duplicates.ts'
import { type MarkedPhrase, makeSnippet, markText, type TextPart } from './make-snippet.ts'
import { SHARED_LINES_SQL, type SharedLines, withoutSharedLines } from './shared-lines.ts'
import type { StoredPage } from './stored-page.ts'
import type { StoredTexts } from './stored-texts.ts'

/** A page that was found. Its texts are the page's own, and to be escaped wherever they are shown. */
export interface SearchHit {
  readonly id: string
  readonly url: string
  /** `''` without one. */
  readonly title: string
  readonly titleParts: readonly TextPart[]
  readonly snippet: readonly TextPart[]
  readonly host: string
  readonly type?: string
  readonly lang?: string
  /** When it was fetched (ms since the epoch). */
  readonly tstamp: number
  /** When it was published, or changed; absent if neither is known. */
  readonly date?: number
  /** Larger is better; comparable only within one result. */
  readonly score: number
  /** Near-duplicates of it that were found, too, and are not hits of their own; some of them. */
  readonly similar?: readonly ResultLink[]
}

/** A page by its title. */
export interface ResultLink {
  readonly url: string
  /** `''` without one. */
  readonly title: string
}

/** Reads the pages that are shown, with snippets. */
export class HitReader {
  readonly #page: StatementSync
  readonly #link: StatementSync
  readonly #shared: StatementSync
  readonly #texts: StoredTexts

  constructor(db: DatabaseSync, texts: StoredTexts) {
    this.#texts = texts
    this.#page = db.prepare('SELECT * FROM pages WHERE row = ?')
    this.#link = db.prepare('SELECT url, title FROM pages WHERE row = ?')
    this.#shared = db.prepare(SHARED_LINES_SQL)
  }

  /** @param phrases what is marked in titles and texts */
  hitsOf(groups: readonly RankedGroup[], phrases: readonly MarkedPhrase[]): SearchHit[] {
    const inText = phrases.filter(({ scope }) => scope === 'any')
    const shared = new Map<string, SharedLines>()
    return groups.map((group) => {
      const { host } = group.page
      const lines = shared.get(host) ?? this.#sharedLines(host)
      shared.set(host, lines)
      return this.#hitOf(group, phrases, inText, lines)
    })
  }

  linksOf(pages: readonly CandidatePage[]): ResultLink[] {
    return pages.map(({ row }) => {
      const { url, title } = this.#link.get(row) ?? {}
      return { url: String(url), title: typeof title === 'string' ? title : '' }
    })
  }

  #hitOf(
    { page, similar }: RankedGroup,
    phrases: readonly MarkedPhrase[],
    inText: readonly MarkedPhrase[],
    shared: SharedLines,
  ): SearchHit {
    const stored = this.#page.get(page.row) as unknown as HitRow
    const { id, url, host, type, lang, tstamp } = stored
    const title = stored.title ?? ''
    const date = stored.published ?? stored.last_modified
    return {
      ...{ id, url, title, titleParts: markText(title, phrases), host, tstamp, score: page.score },
      snippet: this.#snippetOf(page.row, inText, shared),
      ...(type !== null && { type }),
      ...(lang !== null && { lang }),
      ...(date !== null && { date }),
      ...(similar.length > 0 && { similar: this.linksOf(similar.slice(0, MAX_SIMILAR)) }),
    }
  }

  /** From the beginning of the text if it has a word of the query. */
  #snippetOf(row: number, phrases: readonly MarkedPhrase[], shared: SharedLines): TextPart[] {
    const { text, isWhole } = this.#texts.beginning(row)
    const snippet = makeSnippet(withoutSharedLines(text, shared), phrases)
    if (isWhole || snippet.some(({ marked }) => marked)) return snippet
    return makeSnippet(withoutSharedLines(this.#texts.whole(row), shared), phrases)
  }

  #sharedLines(host: string): SharedLines {
    return new Set(this.#shared.all(host).map(({ line }) => String(line)))
  }
}

type HitRow = Omit<StoredPage, 'headings' | 'anchors' | 'description' | 'metadata' | 'content'>

const MAX_SIMILAR = 5
