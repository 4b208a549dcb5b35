import { ElementNode } from './nodes.ts'

/** `:lang(en, "de-*")`: whether the language of an element is in one of the ranges, by the extended filtering of RFC 4647. */
export function hasLanguage(element: ElementNode, ranges: string): boolean {
  const tag = (languageOf(element) ?? '').toLowerCase().split('-')
  return ranges
    .split(',')
    .map((range) => range.trim())
    .filter((range) => range !== '')
    .map((range) =>
      range
        .replace(/^['"]|['"]$/g, '')
        .toLowerCase()
        .split('-'),
    )
    .some((range) => (tag[0] === '' ? range[0] === '' : isInRange(tag, range)))
}

/** By the element around those that have none of their own. */
const inherited = new WeakMap<ElementNode, string | undefined>()

/** Its own `lang`, or that of the nearest element around it. `undefined`: none says. */
function languageOf(element: ElementNode): string | undefined {
  const own = element.attribute('xml:lang') ?? element.attribute('lang')
  const { parent } = element
  if (own !== undefined || !(parent instanceof ElementNode)) return own
  if (inherited.has(parent)) return inherited.get(parent)
  // No page is deeper than MAX_DEPTH.
  const language = languageOf(parent)
  inherited.set(parent, language)
  return language
}

function isInRange([first, ...subtags]: readonly string[], [wanted, ...others]: readonly string[]): boolean {
  if (wanted !== '*' && wanted !== first) return false
  let at = 0
  for (const range of others.filter((one) => one !== '*')) {
    // A subtag of one letter begins a part that is not skipped.
    while (at < subtags.length && subtags[at] !== range) if ((subtags[at++]?.length ?? 0) <= 1) return false
    if (at++ >= subtags.length) return false
  }
  return true
}
