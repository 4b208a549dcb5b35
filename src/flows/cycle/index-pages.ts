import { setImmediate as nextTurn } from 'node:timers/promises'
import { printable } from '../../base/printable.ts'
import type { IndexDocument } from '../../domain/indexing/index-document.ts'
import type {
  ChangedPage,
  ChangesRequest,
  IndexLedger,
  SettledPage,
} from '../../domain/indexing/index-ledger.ts'
import {
  type IndexChange,
  IndexUnavailable,
  type IndexWriter,
  type RefusedChange,
} from '../../domain/indexing/index-writer.ts'
import {
  type DocumentRules,
  type IndexVerdict,
  makeDocument,
  type UnindexedReason,
} from '../../domain/indexing/make-document.ts'

/** An index to update. */
export interface IndexDestination {
  /** The name of the index in the ledger; without passwords. */
  readonly key: string
  /** If it rejects, only this index fails. */
  open(): Promise<IndexWriter>
  /** Whether it gets a document; others are deleted from it. @default all */
  accepts?(document: IndexDocument): boolean
}

export interface IndexOptions extends ChangesRequest {
  readonly document: DocumentRules
  /** Delete pages that are gone, redirect, or are marked as duplicates or orphans. */
  readonly deleteGone: boolean
  /** Called after each batch. */
  readonly onProgress?: (target: string, counts: IndexCounts) => void
}

export interface IndexCounts {
  /** Documents that were added or replaced. */
  readonly put: number
  /** Those that were replaced, as far as is recorded. */
  readonly updated: number
  readonly deleted: number
  /** Pages that do not belong in an index, by reason; whether the index had them or not. */
  readonly unindexed: Readonly<Partial<Record<UnindexedReason, number>>>
  /** Documents that the index refused, and pages on which a filter failed. */
  readonly refused: number
}

/** What an index target received. */
export interface TargetResult extends IndexCounts {
  readonly target: string
  /** `failed`: earlier commits are recorded, and the next call resumes after them. */
  readonly ended: 'done' | 'interrupted' | 'failed'
  /** Some of them. */
  readonly refusals: readonly RefusedChange[]
  /** Why it failed. */
  readonly error?: unknown
}

/**
 * Updates indexes: each gets the changes since its last update. The ledger records them after the commit, so that a crash loses no change.
 * The indexes do not wait for one another, and one that fails does not stop the others.
 */
export function indexPages(
  ledger: IndexLedger,
  targets: readonly IndexDestination[],
  options: IndexOptions,
  signal: AbortSignal,
): Promise<TargetResult[]> {
  return Promise.all(targets.map((target) => indexOne(ledger, target, options, signal)))
}

async function indexOne(
  ledger: IndexLedger,
  target: IndexDestination,
  options: IndexOptions,
  signal: AbortSignal,
): Promise<TargetResult> {
  let update: IndexUpdate | undefined
  try {
    const writer = await target.open()
    try {
      update = new IndexUpdate(ledger, target, writer, options)
      for await (const pages of ledger.changes(target.key, options)) {
        for (const [i, page] of pages.entries()) {
          if (signal.aborted) break
          await update.add(page)
          // A crawl may run in this thread, and reading the main content of a page takes a millisecond.
          if (i % PAGES_PER_TURN === 0) await nextTurn()
        }
        if (signal.aborted) break
      }
      await update.commit()
      await ledger.finish(target.key, !signal.aborted && options.segments === undefined)
    } finally {
      await writer.close()
    }
    return update.result(signal.aborted ? 'interrupted' : 'done')
  } catch (error) {
    // A request that was aborted by the interruption is not a failure.
    const isInterrupted = signal.aborted && error instanceof IndexUnavailable
    const ended = isInterrupted ? 'interrupted' : 'failed'
    const result = update?.result(ended) ?? { target: target.key, ...NOTHING, refusals: [], ended }
    return isInterrupted ? result : { ...result, error }
  }
}

const NOTHING: IndexCounts = { put: 0, updated: 0, deleted: 0, unindexed: {}, refused: 0 }
/** A commit costs a search engine more than a batch does. */
const CHANGES_PER_COMMIT = 5_000
const MAX_REFUSALS = 20
const PAGES_PER_TURN = 20
/** The reasons to which `deleteGone` applies: the page may return. */
const GONE: ReadonlySet<UnindexedReason> = new Set(['gone', 'redirect', 'duplicate', 'orphan', 'unknown'])

/** The update of one index. */
class IndexUpdate {
  readonly #ledger: IndexLedger
  readonly #target: string
  readonly #accepts: IndexDestination['accepts']
  readonly #writer: IndexWriter
  readonly #options: IndexOptions
  readonly #batch: IndexChange[] = []
  /** Pages of the batch that the index has. */
  readonly #known = new Set<string>()
  /** Pages to record in the ledger after the commit. */
  readonly #unsettled: SettledPage[] = []
  readonly #refusals: RefusedChange[] = []
  readonly #unindexed: Partial<Record<UnindexedReason, number>> = {}
  #put = 0
  #updated = 0
  #deleted = 0
  #refused = 0

  constructor(ledger: IndexLedger, target: IndexDestination, writer: IndexWriter, options: IndexOptions) {
    this.#ledger = ledger
    this.#target = target.key
    this.#accepts = target.accepts?.bind(target)
    this.#writer = writer
    this.#options = options
  }

  async add(page: ChangedPage): Promise<void> {
    const { url, inputs, wasIndexed, mayBeIndexed } = page
    const verdict = await this.#judge(page)
    if (verdict === undefined || verdict.kind === 'leave') return
    if (verdict.kind === 'put') this.#batch.push(verdict)
    else {
      if (GONE.has(verdict.reason) && !this.#options.deleteGone) return
      this.#unindexed[verdict.reason] = (this.#unindexed[verdict.reason] ?? 0) + 1
      // Of several indexes, most never had a document that is sent elsewhere. With `all`, the ledger is not trusted.
      if (verdict.reason !== 'exchange' || mayBeIndexed || this.#options.all)
        this.#batch.push({ kind: 'delete', id: url })
    }
    if (wasIndexed) this.#known.add(url)
    this.#unsettled.push({ url, inputs, indexed: verdict.kind === 'put' })
    if (this.#batch.length >= this.#writer.batchSize) await this.#write()
    if (this.#unsettled.length >= CHANGES_PER_COMMIT) await this.commit()
  }

  /** Commits the index, then records the pages in the ledger. */
  async commit(): Promise<void> {
    await this.#write()
    if (this.#unsettled.length === 0) return
    await this.#writer.commit()
    await this.#ledger.settle(this.#target, this.#unsettled.splice(0))
  }

  result(ended: TargetResult['ended']): TargetResult {
    return { target: this.#target, ended, ...this.#counts(), refusals: this.#refusals }
  }

  /** `undefined`: a filter or a condition failed on the page; the next update tries it again. */
  async #judge(page: ChangedPage): Promise<IndexVerdict | undefined> {
    try {
      const verdict = await makeDocument(page, this.#options.document)
      if (verdict.kind !== 'put' || this.#accepts?.(verdict.document) !== false) return verdict
      return { kind: 'delete', reason: 'exchange' }
    } catch (error) {
      this.#refuse({ id: page.url, reason: printable(`index.filter: ${String(error)}`) })
      return undefined
    }
  }

  async #write(): Promise<void> {
    const batch = this.#batch.splice(0)
    if (batch.length === 0) return
    const refusals = await this.#writer.write(batch)
    for (const refusal of refusals) this.#refuse(refusal)
    const refused = new Set(refusals.map(({ id }) => id))
    for (const change of batch) {
      if (change.kind === 'delete') this.#deleted++
      else if (!refused.has(change.document.id)) {
        this.#put++
        if (this.#known.has(change.document.id)) this.#updated++
      }
    }
    this.#known.clear()
    // A refused page would be refused again: it is sent again only after it has changed.
    if (refused.size > 0)
      for (const [i, page] of this.#unsettled.entries())
        if (refused.has(page.url)) this.#unsettled[i] = { ...page, indexed: false }
    this.#options.onProgress?.(this.#target, this.#counts())
  }

  #refuse(refusal: RefusedChange): void {
    this.#refused++
    if (this.#refusals.length < MAX_REFUSALS) this.#refusals.push(refusal)
  }

  #counts(): IndexCounts {
    return {
      put: this.#put,
      updated: this.#updated,
      deleted: this.#deleted,
      unindexed: { ...this.#unindexed },
      refused: this.#refused,
    }
  }
}
