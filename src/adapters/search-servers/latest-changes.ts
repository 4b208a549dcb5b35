import type { IndexChange } from '../../domain/indexing/index-writer.ts'

/** Of each id the last change alone. */
export function latestChanges(changes: readonly IndexChange[]): IndexChange[] {
  return [...new Map(changes.map((change) => [idOf(change), change])).values()]
}

function idOf(change: IndexChange): string {
  return change.kind === 'put' ? change.document.id : change.id
}
