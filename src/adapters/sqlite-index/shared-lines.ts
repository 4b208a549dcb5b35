import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { prepareWrite } from './prepare-write.ts'

/** What most pages of a host have in common, in lower case: lines at the edges of their texts, and parts of their titles. */
export type SharedLines = ReadonlySet<string>

/**
 * Learns per host which lines its pages share, from the first pages that are indexed: main content has lost most navigation, but
 * "Prev", "Up" and the name of the manual remain.
 */
export class SharedLineLearner {
  readonly #statements: Statements
  readonly #hosts = new Map<string, LearnedHost>()

  constructor(db: DatabaseSync) {
    this.#statements = {
      host: db.prepare('SELECT sampled FROM sampled_hosts WHERE host = ?'),
      lines: db.prepare('SELECT line, pages FROM sampled_lines WHERE host = ?'),
      setHost: prepareWrite(db, 'INSERT OR REPLACE INTO sampled_hosts VALUES (?, ?)'),
      setLine: prepareWrite(db, 'INSERT OR REPLACE INTO sampled_lines VALUES (?, ?, ?)'),
      deleteLines: prepareWrite(db, 'DELETE FROM sampled_lines WHERE host = ?'),
    }
  }

  /** The lines that the pages of a host share, as far as it is known. */
  of(host: string): SharedLines {
    return this.#host(host).shared
  }

  /** Learns from a new page, if it is one of the first of its host. */
  sample(host: string, title: string, content: string): void {
    const learned = this.#host(host)
    if (learned.sampled >= SAMPLE) return
    learned.sampled++
    learned.changed = true
    for (const line of new Set([...titleParts(title), ...edgeLines(content)].map(lineKey)))
      if (line !== '') learned.counts.set(line, (learned.counts.get(line) ?? 0) + 1)
    // Further pages are written with the knowledge of all sampled ones.
    if (learned.sampled === SAMPLE) learned.shared = sharedOf(learned)
  }

  /**
   * Stores what was learned, in the transaction of the pages. Returns the hosts whose shared lines changed, with the earlier ones: their
   * sampled pages were written with those.
   */
  flush(): Map<string, SharedLines> {
    const { setHost, setLine, deleteLines } = this.#statements
    const changed = new Map<string, SharedLines>()
    for (const [host, learned] of this.#hosts) {
      if (!learned.changed) continue
      learned.changed = false
      const { flushed } = learned
      const shared = sharedOf(learned)
      if (shared.size !== flushed.size || [...shared].some((line) => !flushed.has(line)))
        changed.set(host, flushed)
      learned.shared = shared
      learned.flushed = shared
      // When the sample is complete, only the lines of most pages are of interest.
      const kept = learned.sampled < SAMPLE ? learned.counts : counted(learned.counts, shared)
      learned.counts = new Map(kept)
      deleteLines.run(host)
      for (const [line, pages] of kept) setLine.run(host, line, pages)
      setHost.run(host, learned.sampled)
    }
    // Hosts of later pages are read again.
    if (this.#hosts.size > MAX_HOSTS) this.#hosts.clear()
    return changed
  }

  /** Forgets what a transaction that was rolled back has learned. */
  discard(): void {
    this.#hosts.clear()
  }

  #host(host: string): LearnedHost {
    let learned = this.#hosts.get(host)
    if (learned === undefined) {
      const sampled = Number(this.#statements.host.get(host)?.['sampled'] ?? 0)
      const rows = sampled === 0 ? [] : this.#statements.lines.all(host)
      const counts = new Map(rows.map(({ line, pages }) => [String(line), Number(pages)]))
      const shared = sharedOf({ sampled, counts })
      learned = { sampled, counts, changed: false, shared, flushed: shared }
      this.#hosts.set(host, learned)
    }
    return learned
  }
}

interface Statements {
  readonly host: StatementSync
  readonly lines: StatementSync
  readonly setHost: StatementSync
  readonly setLine: StatementSync
  readonly deleteLines: StatementSync
}

interface LearnedHost {
  sampled: number
  counts: Map<string, number>
  shared: SharedLines
  /** As of the last flush. */
  flushed: SharedLines
  changed: boolean
}

/** Number of pages per host to learn from. */
export const SAMPLE = 40
/** With fewer pages nothing is known. */
const MIN_PAGES = 5
const MAX_HOSTS = 2_000

/** The lines that the pages of a host share; the host is its parameter. */
export const SHARED_LINES_SQL = `
  SELECT line FROM sampled_hosts CROSS JOIN sampled_lines USING (host) WHERE host = ? AND sampled >= ${MIN_PAGES} AND pages * 2 > sampled`

function sharedOf({ sampled, counts }: Pick<LearnedHost, 'sampled' | 'counts'>): SharedLines {
  if (sampled < MIN_PAGES) return NONE
  const shared = new Set<string>()
  for (const [line, pages] of counts) if (pages * 2 > sampled) shared.add(line)
  return shared
}

const NONE: SharedLines = new Set()

function counted(counts: ReadonlyMap<string, number>, lines: SharedLines): [string, number][] {
  return [...counts].filter(([line]) => lines.has(line))
}

/** A content without the lines at its edges that the pages of its host share. */
export function withoutSharedLines(content: string, shared: SharedLines): string {
  if (shared.size === 0) return content
  const { start, end } = edgesOf(content)
  const strip = (edge: string) =>
    edge
      .split(LINE_ENDS)
      .map((part) => (shared.has(lineKey(part)) ? '' : part))
      .join('')
  if (end <= start) return strip(content).trim()
  return `${strip(content.slice(0, start))}${content.slice(start, end)}${strip(content.slice(end))}`.trim()
}

/** A title without the parts that the pages of its host share: the name of the site. The whole title if nothing else is in it. */
export function titleName(title: string, shared: SharedLines): string {
  if (shared.size === 0) return title
  const own = titleParts(title).filter((part) => !shared.has(lineKey(part)))
  return own.length === 0 ? title : own.join(' ').trim()
}

/** What `titleName` and `withoutSharedLines` leave out. */
export function sharedText(title: string, content: string, shared: SharedLines): string {
  if (shared.size === 0) return ''
  const parts = [...titleParts(title), ...edgeLines(content)]
  return [...new Set(parts.filter((part) => shared.has(lineKey(part))))].join('\n')
}

function titleParts(title: string): string[] {
  return title.split(/\s[|·•»«›‹–—-]+\s|::|:\s|\s\/\s/u).map((part) => part.trim())
}

/** Lines and cells in the first and last characters of a content. */
function edgeLines(content: string): string[] {
  const { start, end } = edgesOf(content)
  const edges = end <= start ? content : `${content.slice(0, start)}\n${content.slice(end)}`
  return edges.split(LINE_ENDS).filter((part) => part.length <= MAX_LINE)
}

/** Where the first edge of a content ends and the last one begins, at line ends if there are any. */
function edgesOf(content: string): { readonly start: number; readonly end: number } {
  if (content.length <= 2 * EDGE) return { start: content.length, end: content.length }
  const start = content.lastIndexOf('\n', EDGE)
  const end = content.indexOf('\n', content.length - EDGE)
  return { start: start === -1 ? 0 : start, end: end === -1 ? content.length : end }
}

/** Characters. */
const EDGE = 600
const MAX_LINE = 200
/** The separators stay in the list. */
const LINE_ENDS = /([\n\t])/

function lineKey(line: string): string {
  return line.trim().toLowerCase()
}
