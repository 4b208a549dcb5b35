import { type FieldCondition, meetsCondition } from './field-condition.ts'
import type { IndexDocument } from './index-document.ts'

/** A rule that sends documents to some of the indexes (Nutch: exchanges). */
export interface IndexExchange {
  /** Names of indexes. */
  readonly to: readonly string[]
  /** @default documents that no other exchange sends anywhere */
  readonly when?: FieldCondition
}

/**
 * Whether an index gets a document: an exchange whose condition the document meets names the index, or no condition is met and an exchange without
 * one names it. An index that no exchange names gets all documents.
 */
export function isRouted(
  document: IndexDocument,
  names: readonly string[],
  exchanges: readonly IndexExchange[],
): boolean {
  const sendsHere = ({ to }: IndexExchange) => to.some((name) => names.includes(name))
  if (!exchanges.some(sendsHere)) return true
  const met = exchanges.filter(({ when }) => when !== undefined && meetsCondition(document, when))
  const used = met.length > 0 ? met : exchanges.filter(({ when }) => when === undefined)
  return used.some(sendsHere)
}
