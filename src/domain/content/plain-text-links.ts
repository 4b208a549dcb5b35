/** Longest link looked for. */
const MAX_LINK_CHARS = 8_192

/**
 * The http and https URLs that stand in a text, in order. A link ends at white space, quotes, angle brackets or an
 * East Asian full stop, and gives back the punctuation of the sentence around it: `(see http://a.test/b_(c).)` is
 * `http://a.test/b_(c)`. Linear time.
 */
export function plainTextLinks(text: string): string[] {
  const links: string[] = []
  let from = 0
  for (;;) {
    const colon = text.indexOf('://', from)
    if (colon < 0) return links
    const start = schemeStart(text, colon)
    from = colon + 3
    if (start < 0) continue
    const end = linkEnd(text, from)
    if (end - start <= MAX_LINK_CHARS) {
      const last = withoutPunctuation(text, from, end)
      if (last > from) links.push(text.slice(start, last))
    }
    from = end
  }
}

/** Where `http` or `https` begins before the colon, or -1. */
function schemeStart(text: string, colon: number): number {
  for (const scheme of ['https', 'http']) {
    const start = colon - scheme.length
    if (start < 0 || text.slice(start, colon).toLowerCase() !== scheme) continue
    return start === 0 || !/[\w+.-]/.test(text.charAt(start - 1)) ? start : -1
  }
  return -1
}

const ENDS_LINK =
  /[\s\0-\x20\x7f"<>`{}|\\^\u00ab\u00bb\u2018-\u201f\u3000-\u303f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\ufffd]/

function linkEnd(text: string, from: number): number {
  let end = from
  while (end < text.length && !ENDS_LINK.test(text.charAt(end))) end++
  return end
}

/** Ends a sentence, a list item or an emphasis more often than a URL. */
const TRAILING = /[.,;:!?'*_~)\]]/
const BRACKETS: ReadonlyMap<string, string> = new Map([
  [')', '('],
  [']', '['],
])

/** Takes off what ends a sentence, and brackets that were opened before the link. */
function withoutPunctuation(text: string, from: number, end: number): number {
  if (!TRAILING.test(text.charAt(end - 1))) return end
  const link = text.slice(from, end)
  const unopened = new Map(
    [...BRACKETS].map(([close, open]) => [close, count(link, close) - count(link, open)]),
  )
  let last = end
  for (; last > from; last--) {
    const char = text.charAt(last - 1)
    const extra = unopened.get(char)
    if (extra !== undefined) {
      if (extra <= 0) break
      unopened.set(char, extra - 1)
    } else if (!TRAILING.test(char)) break
  }
  return last
}

function count(text: string, char: string): number {
  return text.split(char).length - 1
}
