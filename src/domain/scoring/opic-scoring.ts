import { ConfigurationError } from '../../base/crawl-error.ts'
import type { Scoring } from './scoring.ts'

/** Options of {@link createOpicScoring}. */
export interface OpicScoringOptions {
  /** Factor for links to the same host. @default 1 */
  readonly internalFactor?: number
  /** Factor for links to other hosts. @default 1 */
  readonly externalFactor?: number
  /** Divide the score by the number of all links, not only of those that passed the filters. @default false */
  readonly countFiltered?: boolean
  /**
   * Take from a page what it passed on, so that the sum over the whole crawl stays what was injected. A page then passes on 85 % of its
   * score and keeps the rest. Without it (Nutch's way) a page gives and keeps, and scores grow with every fetch. @default false
   */
  readonly conserving?: boolean
  /** The index boost is score^power. @default 0.5 */
  readonly indexPower?: number
}

const PASSED_ON_WHEN_CONSERVING = 0.85

/**
 * Online page importance computation: a page shares its score among its links; its score is the sum of what its inlinks pass on.
 * @example
 * const scoring: Scoring = createOpicScoring({ externalFactor: 0.5 })
 */
export function createOpicScoring(options: OpicScoringOptions = {}): Scoring {
  const { internalFactor = 1, externalFactor = 1, indexPower = 0.5 } = options
  const { countFiltered = false, conserving = false } = options
  for (const [name, value] of Object.entries({ internalFactor, externalFactor, indexPower })) {
    if (!(value >= 0 && value < Number.POSITIVE_INFINITY)) {
      throw new ConfigurationError('SETTING_INVALID', `${name} is ${value}; give a number from 0 up`)
    }
  }
  if (conserving && Math.max(internalFactor, externalFactor) > 1) {
    throw new ConfigurationError(
      'SETTING_INVALID',
      'conserving scores cannot pass on more than they have; give factors up to 1',
    )
  }

  return {
    plain: true,
    seedsAlike: true,
    injected: ({ score, metadata }) => ({ score, metadata }),
    // What a link is worth comes with `update`; a redirect hands the page over as it is.
    initial: ({ score, metadata }, how) => ({ score: how === 'redirect' ? score : 0, metadata }),
    sortValue: ({ score }, value) => value * score,
    distribute({ score }, links, found) {
      const sharers = countFiltered ? Math.max(found, links.length) : links.length
      const share = (conserving ? score * PASSED_ON_WHEN_CONSERVING : score) / sharers
      return links.map(({ internal }) => ({ score: share * (internal ? internalFactor : externalFactor) }))
    },
    update: ({ score, metadata }, { scoreSum }, given) => ({
      score: score + scoreSum - (conserving ? given : 0),
      metadata,
    }),
    indexBoost: ({ score }, boost) => boost * score ** indexPower,
  }
}
