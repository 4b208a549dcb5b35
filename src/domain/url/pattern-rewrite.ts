import type { Matcher, RE2JS } from 're2js'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { explainPattern, linearMatcher } from './linear-pattern.ts'
import type { UrlRewrite } from './url-rewrite.ts'

/** What {@link patternRewrite} replaces, and with what. */
export interface PatternReplacement {
  /** RE2 syntax, and `(?<!c)` for one character at its start. */
  readonly pattern: string
  /** `$1` stands for a group, `\$` for a dollar sign. */
  readonly replacement: string
}

/**
 * A rule that replaces every match of a regular expression (Nutch: urlnormalizer-regex). It takes linear time.
 * @param where names the rule in messages
 * @throws ConfigurationError for a pattern that cannot be compiled, and for a group that the pattern does not have
 * @example
 * const rewrite = patternRewrite({ pattern: '/m/(\\d+)$', replacement: '/page/$1' }, 'my rules')
 * rewrite('https://example.org/m/7') // → 'https://example.org/page/7'
 */
export function patternRewrite({ pattern, replacement }: PatternReplacement, where: string): UrlRewrite {
  const [lookBehind = '', escaped] = LOOK_BEHIND.exec(pattern) ?? []
  const compiled = compile(pattern.slice(lookBehind.length), where)
  const pieces = parseReplacement(replacement, compiled.groupCount(), where)
  return (url) => replaceAll(url, compiled, pieces, escaped)
}

/** Linear engines have no look-behind. The rules that Nutch ships need this one: `(?<!:)/{2,}`. */
const LOOK_BEHIND = /^\(\?<!\\?([^\\()[\]])\)/

function compile(source: string, where: string): RE2JS {
  try {
    return linearMatcher().compile(source)
  } catch (error) {
    throw new ConfigurationError('RULE_INVALID', `${where}: ${explainPattern(source, error)}`, {
      cause: error,
    })
  }
}

/** Texts, and the numbers of groups. */
type Piece = string | number

function parseReplacement(replacement: string, groups: number, where: string): Piece[] {
  return [...replacement.matchAll(/\\(.)|\$(\d)|([^\\$]+|[\\$])/gs)].map(([, escaped, group, text]) => {
    if (group === undefined) return escaped ?? text ?? ''
    if (Number(group) > groups)
      throw new ConfigurationError('RULE_INVALID', `${where}: $${group} is not a group of the pattern`)
    return Number(group)
  })
}

/** @param notAfter matches after this character do not count */
function replaceAll(
  url: string,
  pattern: RE2JS,
  pieces: readonly Piece[],
  notAfter: string | undefined,
): string {
  const matcher = pattern.matcher(url)
  let result = ''
  let end = 0
  let found = matcher.find()
  while (found) {
    const start = matcher.start()
    if (notAfter !== undefined && url.charAt(start - 1) === notAfter) {
      found = start < url.length && matcher.find(start + 1)
      continue
    }
    result += url.slice(end, start) + pieces.map((piece) => textOf(piece, matcher)).join('')
    end = matcher.end()
    found = matcher.find()
  }
  return result + url.slice(end)
}

function textOf(piece: Piece, matcher: Matcher): string {
  return typeof piece === 'string' ? piece : (matcher.group(piece) ?? '')
}
