/** One statement of a site about the use of its pages, in robots.txt or a response header. */
export interface UsageStatement {
  /** The use, in lower case: `search`, `ai-train`, `train-ai`, … */
  readonly category: string
  readonly preference: 'allow' | 'disallow'
  /** As written. */
  readonly text: string
}

/**
 * Reads a list such as `search=yes, ai-train=no` (Content-Signal) or `train-ai=n;param, search="y"` (Content-Usage). Both spellings of yes
 * and no are accepted in both. Other members are ignored.
 */
export function readUsageStatements(list: string): UsageStatement[] {
  return list.split(',').flatMap((member): UsageStatement[] => {
    const text = member.trim()
    const [, category, value] = MEMBER.exec(text) ?? []
    if (category === undefined || value === undefined) return []
    const preference = /^y/i.test(value) ? 'allow' : 'disallow'
    return [{ category: category.toLowerCase(), preference, text }]
  })
}

const MEMBER = /^([a-z*][a-z\d_.*-]*)\s*=\s*"?(y|yes|n|no)"?\s*(?:;.*)?$/i
