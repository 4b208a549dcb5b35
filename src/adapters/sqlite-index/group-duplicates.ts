import type { CandidatePage } from './find-candidates.ts'

/** A page, and near-duplicates of it that were found, too. */
export interface RankedGroup {
  readonly page: CandidatePage
  readonly similar: CandidatePage[]
}

/** Of near-duplicates the best one is a hit. @param ranked the best first */
export function groupDuplicates(ranked: readonly CandidatePage[]): RankedGroup[] {
  const groups: RankedGroup[] = []
  const byCluster = new Map<string, RankedGroup>()
  for (const page of ranked) {
    const known = page.cluster === null ? undefined : byCluster.get(page.cluster)
    if (known !== undefined) {
      known.similar.push(page)
      continue
    }
    const group = { page, similar: [] }
    groups.push(group)
    if (page.cluster !== null) byCluster.set(page.cluster, group)
  }
  return groups
}
