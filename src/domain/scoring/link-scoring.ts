import type { Scoring } from './scoring.ts'

export interface LinkScoringOptions {
  /** The index boost is score^power. @default 0.5 */
  readonly indexPower?: number
}

/**
 * Scores that are computed from outside, by `linkrank --update-scores` (Nutch: scoring-link). Links pass nothing on, and an update leaves
 * scores as they are.
 */
export function createLinkScoring({ indexPower = 0.5 }: LinkScoringOptions = {}): Scoring {
  return {
    plain: true,
    seedsAlike: true,
    injected: ({ score, metadata }) => ({ score, metadata }),
    initial: ({ score, metadata }, how) => ({ score: how === 'redirect' ? score : 0, metadata }),
    sortValue: ({ score }, value) => value * score,
    distribute: (_, links) => links.map(() => ({ score: 0 })),
    update: ({ score, metadata }) => ({ score, metadata }),
    indexBoost: ({ score }, boost) => boost * score ** indexPower,
  }
}
