import { cutChars } from '../../domain/html/characters.ts'
import type { Moved } from './import-target.ts'
import type { ScrapyEntry } from './scrapy-queue.ts'

export interface ImportFindings extends Moved {
  /** What could not be read: the first few reasons. */
  readonly problems: readonly string[]
  /** The handlers that the spider must have, with the requests for each. */
  readonly handlers: Readonly<Record<string, number>>
  /** Rules of a `CrawlSpider` without a handler name, with the requests of each. */
  readonly unknownRules: Readonly<Record<string, number>>
  /** What requests had that has no place here, with how many had it. */
  readonly dropped: Readonly<Record<string, number>>
}

/** What was met on the way. Strangers wrote it, so there is an end to what is kept. */
export class ImportTally {
  readonly #handlers = new Map<string, number>()
  readonly #unknownRules = new Map<string, number>()
  readonly #dropped = new Map<string, number>()
  readonly #problems: string[] = []
  readonly #sum = { imported: 0, known: 0, unreadable: 0 }

  /** With what became of them. */
  moved(entries: readonly ScrapyEntry[], { imported, known, unreadable }: Moved): void {
    this.#sum.imported += imported
    this.#sum.known += known
    this.#sum.unreadable += unreadable
    for (const entry of entries) this.#look(entry)
  }

  /** With what would become of them. */
  found(entries: readonly ScrapyEntry[]): void {
    const imported = entries.filter(({ reading }) => reading.ok).length
    this.moved(entries, { imported, known: 0, unreadable: entries.length - imported })
  }

  report(): ImportFindings {
    return {
      ...this.#sum,
      handlers: Object.fromEntries(this.#handlers),
      unknownRules: Object.fromEntries(this.#unknownRules),
      dropped: Object.fromEntries(this.#dropped),
      problems: this.#problems,
    }
  }

  #look({ reading }: ScrapyEntry): void {
    if (!reading.ok) {
      if (this.#problems.length < MAX_PROBLEMS) this.#problems.push(cutChars(reading.reason, MAX_NAME))
      return
    }
    if (reading.unknownRule !== undefined) countName(this.#unknownRules, String(reading.unknownRule))
    countName(this.#handlers, reading.request.handler)
    for (const name of reading.dropped) countName(this.#dropped, name)
  }
}

const MAX_PROBLEMS = 20
const MAX_NAMES = 50
const MAX_NAME = 200

function countName(counts: Map<string, number>, name: string): void {
  const short = cutChars(name, MAX_NAME)
  const key = counts.has(short) || counts.size < MAX_NAMES ? short : 'others'
  counts.set(key, (counts.get(key) ?? 0) + 1)
}
