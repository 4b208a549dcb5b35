import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { constants, inflateRawSync } from 'node:zlib'
import { textOf } from './stored-page.ts'

/** The texts of pages, each beginning read once per search: ranking and snippets need the same ones. */
export class StoredTexts {
  readonly #content: StatementSync
  readonly #beginnings = new Map<number, TextBeginning>()

  constructor(db: DatabaseSync) {
    this.#content = db.prepare('SELECT content FROM texts WHERE row = ?')
  }

  /** The beginning of a text, as much as can be read in a millisecond. */
  beginning(row: number): TextBeginning {
    const known = this.#beginnings.get(row)
    if (known !== undefined) return known
    const beginning = beginningOf(this.#deflated(row))
    this.#beginnings.set(row, beginning)
    return beginning
  }

  whole(row: number): string {
    return textOf(this.#deflated(row))
  }

  clear(): void {
    this.#beginnings.clear()
  }

  #deflated(row: number): Uint8Array {
    const { content } = this.#content.get(row) ?? {}
    return content instanceof Uint8Array ? content : NOTHING
  }
}

export interface TextBeginning {
  readonly text: string
  readonly isWhole: boolean
}

function beginningOf(deflated: Uint8Array): TextBeginning {
  if (deflated.length > MAX_BYTES) return { text: cut(inflatedStart(deflated)), isWhole: false }
  const text = textOf(deflated)
  return text.length > MAX_CHARS ? { text: cut(text), isWhole: false } : { text, isWhole: true }
}

function inflatedStart(deflated: Uint8Array): string {
  const bytes = inflateRawSync(deflated.subarray(0, MAX_BYTES), { finishFlush: constants.Z_SYNC_FLUSH })
  // In a stream, the decoder keeps the bytes of a character that is not complete.
  return new TextDecoder().decode(bytes, { stream: true })
}

/** At white space; a text that has none for long, not within a character. */
function cut(text: string): string {
  const beginning = text.slice(0, MAX_CHARS)
  const end = Math.max(beginning.lastIndexOf('\n'), beginning.lastIndexOf(' '))
  return end > beginning.length / 2 ? beginning.slice(0, end) : beginning.replace(/[\ud800-\udbff]$/, '')
}

const NOTHING = new Uint8Array()
/** Deflated; they are about three times as many characters. */
const MAX_BYTES = 20_000
const MAX_CHARS = 60_000
