import { printable } from '../../base/printable.ts'
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

/** An index that is to be brought up to date. */
export interface IndexDestination {
  /** What the ledger knows it by; no passwords. */
  readonly key: string
  /** A rejection fails this target alone. */
  open(): Promise<IndexWriter>
}

export interface IndexOptions extends ChangesRequest {
  readonly document: DocumentRules
  /** Whether pages that are gone, redirect, or were marked as duplicates or orphans are taken out. */
  readonly deleteGone: boolean
  /** Told after each batch. */
  readonly onProgress?: (target: string, counts: IndexCounts) => void
}

export interface IndexCounts {
  /** Documents that were added or replaced. */
  readonly put: number
  readonly deleted: number
  /** Pages that are not for an index, by reason; whether the index had them or not. */
  readonly unindexed: Readonly<Partial<Record<UnindexedReason, number>>>
  /** What the index would not take, and what a filter failed on. */
  readonly refused: number
}

export interface TargetResult extends IndexCounts {
  readonly target: string
  /** `failed`: what was committed before is remembered, and the next time goes on from there. */
  readonly ended: 'done' | 'interrupted' | 'failed'
  /** Some of them. */
  readonly refusals: readonly RefusedChange[]
  /** Why it failed. */
  readonly error?: unknown
}

/**
 * Brings indexes up to date: each is told what changed since it was last told, and that is remembered once it is committed. So whatever happens in
 * between, the next time nothing is missing. The targets do not wait for one another, and one that fails does not stop the others.
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
  let work: TargetWork | undefined
  try {
    const writer = await target.open()
    try {
      work = new TargetWork(ledger, target.key, writer, options)
      for await (const pages of ledger.changes(target.key, options)) {
        for (const page of pages) {
          if (signal.aborted) break
          await work.take(page)
        }
        if (signal.aborted) break
      }
      await work.commit()
      await ledger.finish(target.key, !signal.aborted && options.segments === undefined)
    } finally {
      await writer.close()
    }
    return work.result(signal.aborted ? 'interrupted' : 'done')
  } catch (error) {
    // A request that the interruption broke off is no failure.
    const isInterrupted = signal.aborted && error instanceof IndexUnavailable
    const ended = isInterrupted ? 'interrupted' : 'failed'
    const result = work?.result(ended) ?? { target: target.key, ...NOTHING, refusals: [], ended }
    return isInterrupted ? result : { ...result, error }
  }
}

const NOTHING: IndexCounts = { put: 0, deleted: 0, unindexed: {}, refused: 0 }
/** A commit costs a search engine more than a batch does. */
const CHANGES_A_COMMIT = 5_000
const REFUSALS_TOLD = 20
/** Reasons that `deleteGone` is about: the page may come back. */
const GONE: ReadonlySet<UnindexedReason> = new Set(['gone', 'redirect', 'duplicate', 'orphan', 'unknown'])

/** One index on its way up to date. */
class TargetWork {
  readonly #ledger: IndexLedger
  readonly #target: string
  readonly #writer: IndexWriter
  readonly #options: IndexOptions
  readonly #batch: IndexChange[] = []
  /** What the ledger is told after the commit. */
  readonly #unsettled: SettledPage[] = []
  readonly #refusals: RefusedChange[] = []
  readonly #unindexed: Partial<Record<UnindexedReason, number>> = {}
  #put = 0
  #deleted = 0
  #refused = 0

  constructor(ledger: IndexLedger, target: string, writer: IndexWriter, options: IndexOptions) {
    this.#ledger = ledger
    this.#target = target
    this.#writer = writer
    this.#options = options
  }

  async take(page: ChangedPage): Promise<void> {
    const { url, inputs } = page
    const verdict = await this.#judge(page)
    if (verdict === undefined || verdict.kind === 'leave') return
    if (verdict.kind === 'put') this.#batch.push(verdict)
    else {
      if (GONE.has(verdict.reason) && !this.#options.deleteGone) return
      this.#unindexed[verdict.reason] = (this.#unindexed[verdict.reason] ?? 0) + 1
      this.#batch.push({ kind: 'delete', id: url })
    }
    this.#unsettled.push({ url, inputs, indexed: verdict.kind === 'put' })
    if (this.#batch.length >= this.#writer.batchSize) await this.#write()
    if (this.#unsettled.length >= CHANGES_A_COMMIT) await this.commit()
  }

  /** What was written is there for good, and remembered, in this order. */
  async commit(): Promise<void> {
    await this.#write()
    if (this.#unsettled.length === 0) return
    await this.#writer.commit()
    await this.#ledger.settle(this.#target, this.#unsettled.splice(0))
  }

  result(ended: TargetResult['ended']): TargetResult {
    return { target: this.#target, ended, ...this.#counts(), refusals: this.#refusals }
  }

  /** `undefined`: a filter failed on it; the page is looked at again the next time. */
  async #judge(page: ChangedPage): Promise<IndexVerdict | undefined> {
    try {
      return await makeDocument(page, this.#options.document)
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
      else if (!refused.has(change.document.id)) this.#put++
    }
    // A refused page is not in the index, and would be refused again: it is told once more when it has changed.
    if (refused.size > 0)
      for (const [i, page] of this.#unsettled.entries())
        if (refused.has(page.url)) this.#unsettled[i] = { ...page, indexed: false }
    this.#options.onProgress?.(this.#target, this.#counts())
  }

  #refuse(refusal: RefusedChange): void {
    this.#refused++
    if (this.#refusals.length < REFUSALS_TOLD) this.#refusals.push(refusal)
  }

  #counts(): IndexCounts {
    return {
      put: this.#put,
      deleted: this.#deleted,
      unindexed: { ...this.#unindexed },
      refused: this.#refused,
    }
  }
}
