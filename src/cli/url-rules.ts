import { readFileSync } from 'node:fs'
import type { Clock } from '../base/clock.ts'
import { ConfigurationError } from '../base/crawl-error.ts'
import { DEFAULT_RULES } from '../url/default-rules.ts'
import { parseRuleFile } from '../url/rule-file.ts'
import { trapFilter } from '../url/trap-filter.ts'
import { type DecidingFilter, filterChain } from '../url/url-filter.ts'

/** The filters of a crawl: the rules of `file`, or the built-in ones, and then the shapes of traps. */
export function urlRules(file: string | undefined, clock: Clock): DecidingFilter {
  const rules = file === undefined ? parseRuleFile(DEFAULT_RULES, 'default rules') : readRules(file)
  return filterChain([rules, trapFilter(clock)])
}

function readRules(file: string): DecidingFilter {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    throw new ConfigurationError(
      `${file}: cannot read the rule file (${(cause as NodeJS.ErrnoException).code})`,
      { cause },
    )
  }
  return parseRuleFile(text, file)
}
