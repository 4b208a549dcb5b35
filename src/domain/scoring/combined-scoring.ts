import type { LinkContribution, ScoredPage, Scoring, Standing } from './scoring.ts'

/**
 * Several rules as one. Each sees the standing the one before left; a link lives only if all keep it,
 * and then brings the sum of their scores. Use OPIC with depth this way.
 * @example
 * const scoring = combineScorings(createOpicScoring(), createDepthScoring({ maxDepth: 5 }))
 */
export function combineScorings(first: Scoring, ...others: readonly Scoring[]): Scoring {
  if (others.length === 0) return first
  const rules = [first, ...others]
  const inTurn = (page: ScoredPage, step: (rule: Scoring, page: ScoredPage) => Standing): Standing => {
    let { score, metadata }: Standing = page
    for (const rule of rules) ({ score, metadata } = step(rule, { url: page.url, score, metadata }))
    return { score, metadata }
  }

  return {
    injected: (page) => inTurn(page, (rule, now) => rule.injected(now)),
    initial: (page, how) => inTurn(page, (rule, now) => rule.initial(now, how)),
    sortValue: (page, value) => rules.reduce((product, rule) => rule.sortValue(page, product), value),
    distribute(page, links, found) {
      const shares = others.map((rule) => rule.distribute(page, links, found))
      return first
        .distribute(page, links, found)
        .map((contribution, i) => shares.reduce((sum, share) => merge(sum, share[i]), contribution))
    },
    update: (page, received, given) => inTurn(page, (rule, now) => rule.update(now, received, given)),
    indexBoost: (page, boost) => rules.reduce((product, rule) => rule.indexBoost(page, product), boost),
  }
}

function merge(
  a: LinkContribution | undefined,
  b: LinkContribution | undefined,
): LinkContribution | undefined {
  if (a === undefined || b === undefined) return undefined
  return { ...a, ...b, score: a.score + b.score }
}
