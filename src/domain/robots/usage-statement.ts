/** One wish of a site about the use of its pages, as robots.txt and response headers both write it. */
export interface UsageStatement {
  /** What it is about, in lower case: `search`, `ai-train`, `train-ai`, … */
  readonly category: string
  readonly preference: 'allow' | 'disallow'
  /** As written. */
  readonly text: string
}

/**
 * Reads a list such as `search=yes, ai-train=no` (Content-Signal) or `train-ai=n;param, search="y"` (Content-Usage). Either word for
 * yes and no counts in both: a wish that can be understood is one. Members that say anything else are passed over.
 */
export function readUsageStatements(list: string): UsageStatement[] {
  return list.split(',').flatMap((member): UsageStatement[] => {
    const text = member.trim()
    const [, category, response] = MEMBER.exec(text) ?? []
    if (category === undefined || response === undefined) return []
    const preference = /^y/i.test(response) ? 'allow' : 'disallow'
    return [{ category: category.toLowerCase(), preference, text }]
  })
}

const MEMBER = /^([a-z*][a-z\d_.*-]*)\s*=\s*"?(y|yes|n|no)"?\s*(?:;.*)?$/i
