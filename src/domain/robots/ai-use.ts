/** Uses of a page by AI systems and search engines. `images`: training on the images of the page only. */
export const AI_USES = ['train', 'input', 'search', 'images'] as const

export type AiUse = (typeof AI_USES)[number]

/** One statement of a site about one use of a page. */
export interface AiUseStatement {
  readonly use: AiUse
  readonly preference: 'allow' | 'disallow'
  readonly source: 'robots.txt' | 'ai.txt' | 'tdmrep.json' | 'header' | 'meta'
  /** As written, with the name of the field: `Content-Signal: ai-train=no`. */
  readonly text: string
}

/** The AI-use preferences for one page. A use without a statement is absent, which means neither yes nor no. */
export interface AiUsePreferences extends Readonly<Partial<Record<AiUse, 'allow' | 'disallow'>>> {
  /** The evidence, conflicting statements included; at least one. */
  readonly statements: readonly AiUseStatement[]
}

/** Further statements about a page are dropped, unless they are the first refusal of their use. */
const MAX_STATEMENTS = 50
const MAX_TEXT = 300

/** Merges statements: a refusal precedes a permission, whatever the source, as in the IETF drafts. `undefined` without statements. */
export function combineAiUse(statements: readonly AiUseStatement[]): AiUsePreferences | undefined {
  if (statements.length === 0) return undefined
  const combined: Partial<Record<AiUse, 'allow' | 'disallow'>> = {}
  const kept: AiUseStatement[] = []
  for (const statement of statements) {
    const { use, preference } = statement
    const decides = combined[use] === undefined || (preference === 'disallow' && combined[use] === 'allow')
    if (decides) combined[use] = preference
    if (decides || kept.length < MAX_STATEMENTS) kept.push(shortened(statement))
  }
  return { ...combined, statements: kept }
}

/** The first statement that refuses one of `uses`; `undefined` if none does. */
export function refusalOf(
  preferences: AiUsePreferences | undefined,
  uses: readonly AiUse[],
): AiUseStatement | undefined {
  return preferences?.statements.find(
    ({ use, preference }) => preference === 'disallow' && uses.includes(use),
  )
}

/** Where a statement was made, for counts: `Content-Signal in robots.txt`, `noai in meta`. */
export function statementOrigin({ source, text }: AiUseStatement): string {
  const [, field = text] = /^([\w-]+)/.exec(text) ?? []
  return `${field} in ${source}`
}

function shortened(statement: AiUseStatement): AiUseStatement {
  const { text } = statement
  return text.length <= MAX_TEXT ? statement : { ...statement, text: `${text.slice(0, MAX_TEXT)}…` }
}
