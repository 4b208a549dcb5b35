import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { textOf } from './stored-page.ts'

/** The texts of pages, each read once per search: ranking and snippets need the same ones. */
export class StoredTexts {
  readonly #content: StatementSync
  readonly #texts = new Map<number, string>()
  #bytes = 0

  constructor(db: DatabaseSync) {
    this.#content = db.prepare('SELECT content FROM texts WHERE row = ?')
  }

  of(row: number): string {
    const known = this.#texts.get(row)
    if (known !== undefined) return known
    const { content } = this.#content.get(row) ?? {}
    const deflated = content instanceof Uint8Array ? content : new Uint8Array()
    this.#bytes += deflated.length
    const text = deflated.length === 0 ? '' : textOf(deflated)
    this.#texts.set(row, text)
    return text
  }

  /** False after texts have been read for some milliseconds. */
  get hasTime(): boolean {
    return this.#bytes < MAX_BYTES
  }

  clear(): void {
    this.#texts.clear()
    this.#bytes = 0
  }
}

/** Deflated. Reading a million takes about 20 milliseconds. */
const MAX_BYTES = 400_000
