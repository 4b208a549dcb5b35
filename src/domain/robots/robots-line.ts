/** A line of a robots.txt, as evidence. */
export interface RobotsLine {
  /** Counted from 1; CR, LF and CRLF each end one line. */
  readonly number: number
  /** For people: control and direction characters removed, the rest of an overlong line cut off. */
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

/** A line that means something. `value` and `source` are octets, one character each. */
export interface RobotsDirective {
  readonly field: RobotsField
  readonly value: string
  readonly number: number
  readonly source: string
}

/**
 * Field names, and the misspellings that the most used parser forgives too. All of them lean towards obeying a site
 * that slipped. Other names (Host, Clean-param, Noindex, …) mean nothing here.
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

/** The meaningful lines of a file, in order. Everything else is passed over, whatever it is. */
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

/** Octets as text that does no harm where it is shown. */
export function readable(octets: string): string {
  if (PLAIN.test(octets)) return octets.trim()
  const text = Buffer.from(octets, 'latin1').toString('utf8')
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '').trim()
}

/** A comment ends a line, and so does a NUL: text in UTF-16 thereby means nothing at all. */
function endOfMeaning(line: string): number {
  const end = line.search(/[#\0]/)
  return end === -1 ? line.length : end
}

/** The first colon. Where it was forgotten, the white space will do, if it stands between exactly two words. */
function separatorIn(meant: string): number {
  const colon = meant.indexOf(':')
  if (colon !== -1) return colon
  const space = meant.search(SPACE)
  return space !== -1 && trimSpaces(meant.slice(space)).search(SPACE) === -1 ? space : -1
}

/** Not `trim()`: that takes 0xA0 for a space, and in UTF-8 it is the second half of letters such as à. */
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
