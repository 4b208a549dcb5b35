import type { AiUse, AiUseStatement } from './ai-use.ts'
import type { RobotsLine } from './robots-line.ts'
import { readUsageStatements } from './usage-statement.ts'

/** The preference of a site for one kind of use. Without a statement it is `unknown`, never `allow`. */
export type UsagePreference = 'allow' | 'disallow' | 'unknown'

/** The uses that a site allows for its pages. Data for the users of the pages; it has no effect on fetching. */
export interface UsagePreferences {
  /** Use in search results. */
  readonly search: UsagePreference
  /** Use as input of an AI model at query time. */
  readonly aiInput: UsagePreference
  /** Use for the training of an AI model. */
  readonly aiTrain: UsagePreference
  /** The lines with the statements; empty if there are none. */
  readonly lines: readonly RobotsLine[]
}

type Category = Exclude<keyof UsagePreferences, 'lines'>

const USES: Readonly<Record<Category, AiUse>> = { search: 'search', aiInput: 'input', aiTrain: 'train' }

/** The names of the three uses in Content-Signal, then in Content-Usage: IETF drafts, older names last. */
const CATEGORIES: ReadonlyMap<string, Category> = new Map<string, Category>([
  ['search', 'search'],
  ['ai-input', 'aiInput'],
  ['ai-train', 'aiTrain'],
  ['ai-use', 'aiInput'],
  ['train-ai', 'aiTrain'],
  ['train-genai', 'aiTrain'],
])

/** All uses, in older drafts. They apply to uses without a statement of their own. */
const GENERAL: ReadonlySet<string> = new Set(['all', 'bots'])

/** Reads the statements of a line. Unknown keys and values are ignored. */
export function parseUsagePreferences(statement: string, line: RobotsLine): UsagePreferences {
  const found: Record<Category, UsagePreference> = {
    search: 'unknown',
    aiInput: 'unknown',
    aiTrain: 'unknown',
  }
  let general: UsagePreference = 'unknown'
  for (const { category: name, preference } of readUsageStatements(statement)) {
    const category = CATEGORIES.get(name)
    if (category !== undefined) found[category] = stricter(found[category], preference)
    else if (GENERAL.has(name)) general = stricter(general, preference)
  }
  const { search, aiInput, aiTrain } = found
  return {
    search: search === 'unknown' ? general : search,
    aiInput: aiInput === 'unknown' ? general : aiInput,
    aiTrain: aiTrain === 'unknown' ? general : aiTrain,
    lines: [line],
  }
}

/** The preferences of one line or header, a statement per use. */
export function aiUseStatements(
  preferences: UsagePreferences,
  source: AiUseStatement['source'],
): AiUseStatement[] {
  const text = preferences.lines.map((line) => line.text).join(', ')
  return CATEGORY_NAMES.flatMap((category): AiUseStatement[] => {
    const preference = preferences[category]
    return preference === 'unknown' ? [] : [{ use: USES[category], preference, source, text }]
  })
}

const CATEGORY_NAMES: readonly Category[] = ['aiTrain', 'aiInput', 'search']

/** Merges statements; if they conflict, `disallow` wins. */
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
