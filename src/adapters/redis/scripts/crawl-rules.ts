import { script } from './script.ts'
import { SHARED } from './shared.ts'

/** What all workers of a job must agree on. */
export const CRAWL_RULES = script(
  'crawl-rules',
  SHARED,
  `
-- Returns {order, rule by which it remembers what it has seen}: '' while nobody has decided.
local rules = call('HMGET', K.counts, 'order', 'rule')
return {rules[1] or '', rules[2] or ''}
`,
)
