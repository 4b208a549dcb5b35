import type { IndexDocument } from '../src/domain/indexing/index-document.ts'
import {
  type IndexChange,
  IndexUnavailable,
  type IndexWriter,
  type RefusedChange,
} from '../src/domain/indexing/index-writer.ts'

/** An index in memory that has what was committed, remembers how it was used and can be made to fail. */
export class MemoryIndex {
  readonly documents = new Map<string, IndexDocument>()
  /** Every change that was written, in a word: `put http://…`. */
  readonly log: string[] = []
  /** Ids that it never takes. */
  readonly refused = new Set<string>()
  commits = 0
  /** Steps until it fails once: a write is one, a commit two, as it may fail before it has happened and after. */
  failsAfter = Number.POSITIVE_INFINITY
  #uncommitted: IndexChange[] = []

  writer(batchSize = 2): IndexWriter {
    this.#uncommitted = []
    const write = (changes: readonly IndexChange[]) => this.#write(changes)
    const commit = () => this.#commit()
    return { name: 'memory', batchSize, write, commit, close: async () => {} }
  }

  /** The texts by the last part of their URLs. */
  get texts(): Record<string, string> {
    const entries = [...this.documents].map(([id, { content }]) => [id.replace(/.*\//, ''), content] as const)
    return Object.fromEntries(entries.sort())
  }

  /** What was written since the last look. */
  takeLog(): string[] {
    return this.log.splice(0)
  }

  async #write(changes: readonly IndexChange[]): Promise<RefusedChange[]> {
    this.#step()
    const refusals: RefusedChange[] = []
    for (const change of changes) {
      const id = change.kind === 'put' ? change.document.id : change.id
      if (this.refused.has(id)) refusals.push({ id, reason: 'not this one' })
      else this.#uncommitted.push(change)
      this.log.push(`${change.kind} ${id}`)
    }
    return refusals
  }

  async #commit(): Promise<void> {
    this.#step()
    for (const change of this.#uncommitted.splice(0)) {
      if (change.kind === 'put') this.documents.set(change.document.id, change.document)
      else this.documents.delete(change.id)
    }
    this.commits++
    this.#step()
  }

  #step(): void {
    if (this.failsAfter-- > 0) return
    this.failsAfter = Number.POSITIVE_INFINITY
    throw new IndexUnavailable('it is away')
  }
}
