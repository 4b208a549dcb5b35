import type { RobotsLine } from './robots-line.ts'
import { readUsageStatements } from './usage-statement.ts'

/** What a site wishes for one kind of use. Silence is `unknown`, never `allow`. */
export type UsagePreference = 'allow' | 'disallow' | 'unknown'

/**
 * What a site says its pages may be used for, apart from being fetched. Data for whoever uses the pages: nothing
 * here decides about fetching.
 */
export interface UsagePreferences {
  /** Showing the page in search results. */
  readonly search: UsagePreference
  /** Input of a model at query time. */
  readonly aiInput: UsagePreference
  /** Training a model. */
  readonly aiTrain: UsagePreference
  /** The lines this was read from, with whatever else they say; empty when there were none. */
  readonly lines: readonly RobotsLine[]
}

type Category = Exclude<keyof UsagePreferences, 'lines'>

/** Two vocabularies for the same three uses: Content-Signal first, then the IETF drafts' Content-Usage. */
const CATEGORIES: ReadonlyMap<string, Category> = new Map<string, Category>([
  ['search', 'search'],
  ['ai-input', 'aiInput'],
  ['ai-train', 'aiTrain'],
  ['ai-use', 'aiInput'],
  ['train-ai', 'aiTrain'],
])

/** What a line says about the three uses. Unknown keys and values say nothing. */
export function parseUsagePreferences(statement: string, line: RobotsLine): UsagePreferences {
  const found: Record<Category, UsagePreference> = {
    search: 'unknown',
    aiInput: 'unknown',
    aiTrain: 'unknown',
  }
  for (const { category: name, preference } of readUsageStatements(statement)) {
    const category = CATEGORIES.get(name)
    if (category !== undefined) found[category] = stricter(found[category], preference)
  }
  return { ...found, lines: [line] }
}

/** All statements together; where they disagree, the one that forbids counts. */
export function combineUsagePreferences(statements: readonly UsagePreferences[]): UsagePreferences {
  return {
    search: statements.map(({ search }) => search).reduce(stricter, 'unknown'),
    aiInput: statements.map(({ aiInput }) => aiInput).reduce(stricter, 'unknown'),
    aiTrain: statements.map(({ aiTrain }) => aiTrain).reduce(stricter, 'unknown'),
    lines: statements.flatMap(({ lines }) => lines),
  }
}

function stricter(a: UsagePreference, b: UsagePreference): UsagePreference {
  if (a === 'disallow' || b === 'disallow') return 'disallow'
  return a === 'allow' || b === 'allow' ? 'allow' : 'unknown'
}
