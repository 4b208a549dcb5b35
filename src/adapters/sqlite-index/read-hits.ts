import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { SearchPhrase } from '../../domain/search/search-query.ts'
import type { CandidatePage } from './find-candidates.ts'
import type { RankedGroup } from './group-duplicates.ts'
import { makeSnippet, markText, type TextPart } from './make-snippet.ts'
import { SHARED_LINES_SQL, type SharedLines, withoutSharedLines } from './shared-lines.ts'
import { type StoredPage, textOf } from './stored-page.ts'

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

  constructor(db: DatabaseSync) {
    this.#page = db.prepare('SELECT * FROM pages CROSS JOIN texts USING (row) WHERE row = ?')
    this.#link = db.prepare('SELECT url, title FROM pages WHERE row = ?')
    this.#shared = db.prepare(SHARED_LINES_SQL)
  }

  /** @param phrases what is marked in titles and texts */
  hitsOf(groups: readonly RankedGroup[], phrases: readonly SearchPhrase[]): SearchHit[] {
    return groups.map((group) => this.#hitOf(group, phrases))
  }

  linksOf(pages: readonly CandidatePage[]): ResultLink[] {
    return pages.map(({ row }) => {
      const { url, title } = this.#link.get(row) ?? {}
      return { url: String(url), title: typeof title === 'string' ? title : '' }
    })
  }

  #hitOf({ page, similar }: RankedGroup, phrases: readonly SearchPhrase[]): SearchHit {
    const stored = this.#page.get(page.row) as unknown as StoredPage
    const { id, url, host, type, lang, tstamp } = stored
    const title = stored.title ?? ''
    const date = stored.published ?? stored.last_modified
    const text = withoutSharedLines(textOf(stored.content), this.#sharedLines(host))
    const inText = phrases.filter(({ scope }) => scope === 'any')
    return {
      ...{ id, url, title, titleParts: markText(title, phrases), host, tstamp, score: page.score },
      snippet: makeSnippet(text, inText),
      ...(type !== null && { type }),
      ...(lang !== null && { lang }),
      ...(date !== null && { date }),
      ...(similar.length > 0 && { similar: this.linksOf(similar.slice(0, MAX_SIMILAR)) }),
    }
  }

  #sharedLines(host: string): SharedLines {
    return new Set(this.#shared.all(host).map(({ line }) => String(line)))
  }
}

const MAX_SIMILAR = 5
