import { ConfigurationError } from '../../base/crawl-error.ts'
import type { CandidateUrl } from './candidate-url.ts'
import { DomainSet } from './domain-set.ts'
import { compileLinear, type LinearPattern } from './linear-pattern.ts'
import type { DecidingFilter, FilterVerdict } from './url-filter.ts'

/**
 * A filter from the text of a rule file, in Nutch's format:
 *
 *     # Pictures, wherever they are
 *     -\.gif$
 *     # For example.com and its sub-domains, up to the <
 *     >example.com
 *     -/private/
 *     <
 *     # Everything else
 *     +.
 *
 * `-` rejects and `+` accepts URLs in which the pattern is found. The first rule that matches decides; where none does,
 * the URL is rejected. Space around a rule does not count.
 *
 * @param file its name, for verdicts and messages
 * @throws ConfigurationError for the first line that cannot be used
 * @example
 * const filter = parseRuleFile('-\\.gif$\n+.', 'regex-urlfilter.txt')
 * filter.judge(new CandidateUrl('https://example.org/a.gif')).rule // → 'regex-urlfilter.txt:1 -\\.gif$'
 */
export function parseRuleFile(text: string, file: string): DecidingFilter {
  const rules = parseRules(text, file)
  const unmatched: FilterVerdict = {
    accepted: false,
    rule: `${file}: no line matches (end with +. to accept the rest)`,
  }
  return {
    name: file,
    urlOnly: true,
    judge(url) {
      for (const rule of rules) if (applies(rule, url)) return rule.verdict
      return unmatched
    },
  }
}

interface Rule {
  readonly pattern: LinearPattern
  /** The rule is for these hosts only; absent: for all. */
  readonly hosts?: DomainSet
  readonly verdict: FilterVerdict
}

function applies({ hosts, pattern }: Rule, url: CandidateUrl): boolean {
  return (hosts === undefined || hosts.covering(url.host) !== undefined) && pattern.test(url.url)
}

function parseRules(text: string, file: string): Rule[] {
  const rules: Rule[] = []
  let hosts: DomainSet | undefined
  for (const line of textLines(text)) {
    const where = `${file}:${line.number}`
    const sign = line.text.charAt(0)
    const argument = line.text.slice(1).trim()
    if (sign === '>') {
      hosts = new DomainSet([argument], where)
    } else if (sign === '<') {
      if (hosts === undefined)
        throw new ConfigurationError(
          'RULE_INVALID',
          `${where}: '<' ends a block, but none is open; start one with >host`,
        )
      if (argument !== '')
        throw new ConfigurationError('RULE_INVALID', `${where}: '<' stands alone; remove '${argument}'`)
      hosts = undefined
    } else if (sign === '+' || sign === '-') {
      if (argument === '')
        throw new ConfigurationError(
          'RULE_INVALID',
          `${where}: '${sign}' has no pattern; write ${sign}. to match every URL`,
        )
      rules.push({
        pattern: compileLinear(argument, where),
        ...(hosts === undefined ? {} : { hosts }),
        verdict: { accepted: sign === '+', rule: `${where} ${sign}${argument}` },
      })
    } else {
      throw new ConfigurationError(
        'RULE_INVALID',
        `${where}: a rule starts with + or -, a block with >, a comment with #; found '${line.text}'`,
      )
    }
  }
  return rules
}

/** A line of a rule or list file that is not empty or a comment. */
interface TextLine {
  /** From 1. */
  readonly number: number
  /** Without the space around it. */
  readonly text: string
}

/** The lines of `content` but for empty ones and `#` comments. A byte order mark and any kind of line end will do. */
export function textLines(content: string): TextLine[] {
  const lines: TextLine[] = []
  const all = content.replace(/^\ufeff/, '').split(/\r\n|\n|\r/)
  for (const [i, line] of all.entries()) {
    const text = line.trim()
    if (text !== '' && !text.startsWith('#')) lines.push({ number: i + 1, text })
  }
  return lines
}
