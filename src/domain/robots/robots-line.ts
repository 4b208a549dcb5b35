/** A line of a robots.txt, to show why it decided. */
export interface RobotsLine {
  /** Counted from 1; CR, LF and CRLF each end one line. */
  readonly number: number
  /** Readable text: control and direction characters are removed, long lines are truncated. */
  readonly text: string
}

export type RobotsField =
  | 'user-agent'
  | 'allow'
  | 'disallow'
  | 'sitemap'
  | 'crawl-delay'
  | 'content-signal'
  | 'content-usage'

/** A line with a known field. `value` and `source` are octets, one character each. */
export interface RobotsDirective {
  readonly field: RobotsField
  readonly value: string
  readonly number: number
  readonly source: string
}

/**
 * Field names, with the misspellings that Google's parser accepts too: rules with a typo are obeyed. Other fields (Host, Clean-param,
 * Noindex, …) are ignored.
 */
const FIELDS: ReadonlyMap<string, RobotsField> = new Map<string, RobotsField>([
  ['user-agent', 'user-agent'],
  ['useragent', 'user-agent'],
  ['user agent', 'user-agent'],
  ['allow', 'allow'],
  ['disallow', 'disallow'],
  ['dissallow', 'disallow'],
  ['dissalow', 'disallow'],
  ['disalow', 'disallow'],
  ['diasllow', 'disallow'],
  ['disallaw', 'disallow'],
  ['sitemap', 'sitemap'],
  ['site-map', 'sitemap'],
  ['crawl-delay', 'crawl-delay'],
  ['crawldelay', 'crawl-delay'],
  ['crawl delay', 'crawl-delay'],
  ['content-signal', 'content-signal'],
  ['content-usage', 'content-usage'],
])

const MAX_SHOWN = 300
const PLAIN = /^[ -~]*$/

/** The lines of a file with a known field, in order. All other lines are ignored. */
export function* robotsDirectives(octets: string): Generator<RobotsDirective> {
  let number = 0
  for (const source of octets.split(/\r\n|\r|\n/)) {
    number++
    const meant = trimSpaces(source.slice(0, endOfMeaning(source)))
    const separator = separatorIn(meant)
    if (separator === -1) continue
    const field = FIELDS.get(trimSpaces(meant.slice(0, separator)).toLowerCase())
    if (field !== undefined) yield { field, value: trimSpaces(meant.slice(separator + 1)), number, source }
  }
}

export function lineOf({ number, source }: RobotsDirective): RobotsLine {
  const text = readable(source)
  return { number, text: text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text }
}

/** Octets as text that is safe to show: without control characters. */
export function readable(octets: string): string {
  if (PLAIN.test(octets)) return octets.trim()
  const text = Buffer.from(octets, 'latin1').toString('utf8')
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '').trim()
}

/** A line ends at a comment or a NUL. Because of the NULs, a file in UTF-16 has no rules. */
function endOfMeaning(line: string): number {
  const end = line.search(/[#\0]/)
  return end === -1 ? line.length : end
}

/** The first colon; without a colon, the white space between exactly two words. */
function separatorIn(meant: string): number {
  const colon = meant.indexOf(':')
  if (colon !== -1) return colon
  const space = meant.search(SPACE)
  return space !== -1 && trimSpaces(meant.slice(space)).search(SPACE) === -1 ? space : -1
}

/** Not `trim()`: it also removes 0xA0, which is the second octet of letters such as à in UTF-8. */
function trimSpaces(octets: string): string {
  let start = 0
  let end = octets.length
  while (start < end && isSpace(octets.charCodeAt(start))) start++
  while (end > start && isSpace(octets.charCodeAt(end - 1))) end--
  return octets.slice(start, end)
}

const SPACE = /[ \t\v\f]/

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0b || code === 0x0c
}
