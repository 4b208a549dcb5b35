import type { RE2JS } from 're2js'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { requireLate } from '../../base/require-late.ts'

/** A regular expression that takes time linear in the text, whatever the text. */
export interface LinearPattern {
  /** Whether it matches anywhere in `text`: printable ASCII, as normalised URLs are. */
  test(text: string): boolean
}

/**
 * Compiles what an operator wrote, in RE2's syntax: Java's and JavaScript's without look-around and back-references,
 * which no linear matcher can have. A pattern so simple that the engine of JavaScript cannot lose its way in it is
 * given to that engine, which is several times faster on the default rules (bench/url.bench.ts).
 *
 * @param where names the place in messages: `rules.txt:12`
 * @throws ConfigurationError that says how to write it instead
 */
export function compileLinear(source: string, where: string): LinearPattern {
  try {
    return nativePattern(source) ?? linearMatcher().compile(source)
  } catch (error) {
    throw new ConfigurationError('RULE_INVALID', `${where}: ${explainPattern(source, error)}`, {
      cause: error,
    })
  }
}

/** The linear engine. The default rules do not need it. */
export function linearMatcher(): typeof RE2JS {
  return requireLate<typeof import('re2js')>('re2js').RE2JS
}

/** What is wrong with a pattern that the linear engine could not compile, and how to write it instead. */
export function explainPattern(source: string, error: unknown): string {
  return advice(source) ?? (error instanceof Error ? error.message : String(error))
}

function advice(source: string): string | undefined {
  if (/\(\?(?:[=!]|<[=!])/.test(source)) {
    return 'look-around, as in (?=…) or (?!…), is not supported: put the exception as a rule of its own before this one'
  }
  if (/\\[1-9]|\\k</.test(source)) {
    return 'back-references, as in \\1, are not supported: list the cases, or leave repeating path segments to the trap filter'
  }
  if (/\(\?>|[*+?}]\+/.test(source)) {
    return 'possessive and atomic groups are not supported: write the plain form, matching is linear anyway'
  }
  return undefined
}

/**
 * Literals, escaped punctuation, plain classes, `.`, `^`, `$`, at most one group of alternatives, at most three `?` and
 * nothing else that repeats: from each start there are at most eight ways through each alternative, none longer
 * than the pattern. All of it means the same in both engines.
 */
function nativePattern(source: string): LinearPattern | undefined {
  const simple = SIMPLE.exec(source)
  if (simple === null) return undefined
  const [, ignoreCase = '', body = ''] = simple
  const optional = body.replace(/\\.|\[[^\]]*\]|\(\?:/g, '').split('?').length - 1
  if (optional > 3) return undefined
  const pattern = new RegExp(body, ignoreCase === '' ? '' : 'i')
  const mark = requiredMark(body)
  return mark === undefined ? pattern : { test: (text) => text.includes(mark) && pattern.test(text) }
}

/**
 * A character of queries without which the pattern cannot match. Most URLs have no query, and to find that out takes a tenth of the time
 * of the pattern itself.
 */
function requiredMark(body: string): string | undefined {
  for (const [, escaped, plain, optional] of body.matchAll(PIECE))
    if (optional === '' && (escaped === '?' || plain === '=')) return escaped ?? plain
  return undefined
}

const REPEATABLE = String.raw`(?:[\w/:=&%@!,;~#-]|\\[.?*+^$|()[\]{}\\/-]|\[\^?[\w/:=&%@!,;~#.*+?$-]+\])\??`
const PIECES = `(?:${REPEATABLE}|[.^$])*`
const GROUP = String.raw`\((?:\?:)?${PIECES}(?:\|${PIECES})*\)`
/** An escape, a class, a group or a plain character of a simple pattern, and the `?` after it. */
const PIECE = /(?:\\(.)|\[[^\]]*\]|\((?:\\.|\[[^\]]*\]|[^\\)])*\)|(.))(\??)/g
const SIMPLE = new RegExp(String.raw`^(\(\?i\))?(${PIECES}(?:${GROUP}${PIECES})?)$`)
