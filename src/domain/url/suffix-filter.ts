import { ConfigurationError } from '../../base/crawl-error.ts'
import { textLines } from './rule-file.ts'
import type { DecidingFilter } from './url-filter.ts'

/** Options of {@link suffixFilter}. */
export interface SuffixOptions {
  /** Ends of URLs, as text: `.gif`. */
  readonly suffixes: readonly string[]
  /** What becomes of a URL with one of them; every other URL gets the opposite. @default 'reject' */
  readonly listed?: 'accept' | 'reject'
  /** @default false */
  readonly ignoreCase?: boolean
  /** Look at the end of the path, before any query. @default false */
  readonly pathOnly?: boolean
}

/**
 * Rejects or accepts URLs by their end, as text.
 * @throws ConfigurationError for an empty suffix, which every URL ends with
 * @example
 * const filter = suffixFilter({ suffixes: ['.gif', '.png'], ignoreCase: true })
 * filter.judge(new CandidateUrl('https://example.org/logo.PNG')).accepted // → false
 */
export function suffixFilter(options: SuffixOptions): DecidingFilter {
  const { suffixes, listed = 'reject', ignoreCase = false, pathOnly = false } = options
  if (suffixes.includes('')) throw new ConfigurationError('RULE_INVALID', 'a suffix is empty: remove it')
  const known = new Set(ignoreCase ? suffixes.map((suffix) => suffix.toLowerCase()) : suffixes)
  const lengths = [...new Set(suffixes.map((suffix) => suffix.length))].sort((a, b) => a - b)
  const unlisted = { accepted: listed === 'reject', rule: 'suffix: none matches' }
  return {
    name: 'suffix',
    urlOnly: true,
    judge(url) {
      const whole = pathOnly ? url.path : url.url
      const text = ignoreCase ? whole.toLowerCase() : whole
      for (const length of lengths) {
        const end = text.slice(-length)
        if (known.has(end)) return { accepted: listed === 'accept', rule: `suffix: ${end}` }
      }
      return unlisted
    },
  }
}

/**
 * Nutch's suffix file: one suffix a line, and among them a line of flags. `+` accepts what is not listed, `-` rejects it;
 * `I` after the sign ignores case, `P` looks at the path alone.
 *
 * @param file its name, for messages
 * @throws ConfigurationError for a line that starts like flags and is none, and when there are no flags
 * @example
 * const filter = parseSuffixFile('+I\n.gif', 'suffix-urlfilter.txt')
 * filter.judge(new CandidateUrl('https://example.org/a.GIF')).accepted // → false
 */
export function parseSuffixFile(text: string, file: string): DecidingFilter {
  const suffixes: string[] = []
  let flags: string | undefined
  for (const { number, text: line } of textLines(text)) {
    if (!/^[+-]/.test(line)) {
      suffixes.push(line)
    } else if (/^[+-](?:I?P?|PI)$/.test(line)) {
      flags = line
    } else {
      throw new ConfigurationError(
        'RULE_INVALID',
        `${file}:${number}: '${line}' is not a mode; write + or -, then I, P, both or nothing`,
      )
    }
  }
  if (flags === undefined) {
    throw new ConfigurationError(
      'RULE_INVALID',
      `${file}: add a line + (accept what is not listed) or - (reject it)`,
    )
  }
  return suffixFilter({
    suffixes,
    listed: flags.startsWith('-') ? 'accept' : 'reject',
    ignoreCase: flags.includes('I'),
    pathOnly: flags.includes('P'),
  })
}
