import { ownCopy } from '../../base/own-copy.ts'
import type { ElementNode } from '../selectors/nodes.ts'

/**
 * What the name, the role and the classes of an element tell about it. `never`: it is not visible. `strong`: it is
 * boilerplate unless it has most of the text. `weak`: it is boilerplate if it has little text of its own.
 */
export type BoilerplateMark = 'never' | 'strong' | 'weak' | undefined

export function boilerplateMark(element: ElementNode): BoilerplateMark {
  const byName = NAMES.get(element.name)
  // Most elements have no attributes, or a class.
  if (element.isBare) return byName
  const [hidden, ariaHidden, style, role, classes = '', id = ''] = element.attributesNamed(TELLING)
  if (hidden !== undefined || ariaHidden?.trim().toLowerCase() === 'true') return 'never'
  if (style !== undefined && HIDDEN_STYLE.test(style)) return 'never'
  const byRole = role === undefined ? undefined : ROLES.get(role.trim().toLowerCase())
  if (byName === 'strong' || byRole === 'strong') return 'strong'
  const byClass = markOfWords(classes)
  // The id of a section is made of its heading, and says nothing.
  const isSection = element.name === 'section' || classes.includes('section')
  const byId = byClass === 'strong' || isSection ? undefined : markOfWords(id)
  if (byClass === 'strong' || byId === 'strong') return 'strong'
  return byRole ?? byName ?? byClass ?? byId
}

const TELLING = ['hidden', 'aria-hidden', 'style', 'role', 'class', 'id'] as const

/** Classes and ids repeat on all pages of a site, and the expressions are long: what they tell is kept. */
const knownMarks = new Map<string, BoilerplateMark>([['', undefined]])
const MAX_KNOWN = 5_000

function markOfWords(written: string): BoilerplateMark {
  const known = knownMarks.get(written)
  if (known !== undefined || knownMarks.has(written)) return known
  // In lower case, words separated.
  const words = written.replace(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase()
  const mark = STRONG.test(words) ? 'strong' : WEAK.test(words) ? 'weak' : undefined
  if (knownMarks.size >= MAX_KNOWN) knownMarks.clear()
  // The text itself may be a slice, which keeps its whole page in memory.
  knownMarks.set(ownCopy(written), mark)
  return mark
}

/** Marks of the element that has the main content; one of them is enough. */
export function isMarkedAsMain(element: ElementNode): boolean {
  if (element.name === 'main') return true
  if (element.attribute('role')?.trim().toLowerCase() === 'main') return true
  return element.attribute('itemprop')?.trim() === 'articleBody'
}

const HIDDEN_STYLE = /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i

const NAMES: ReadonlyMap<string, BoilerplateMark> = new Map([
  ['nav', 'strong'],
  ['search', 'strong'],
  ['menu', 'weak'],
  ['footer', 'weak'],
  ['header', 'weak'],
  ['aside', 'weak'],
])

const ROLES: ReadonlyMap<string, BoilerplateMark> = new Map([
  ['navigation', 'strong'],
  ['search', 'strong'],
  ['menu', 'strong'],
  ['menubar', 'strong'],
  ['dialog', 'strong'],
  ['alertdialog', 'strong'],
  ['banner', 'weak'],
  ['contentinfo', 'weak'],
  ['complementary', 'weak'],
  ['toolbar', 'weak'],
  ['tablist', 'weak'],
])

/** A word of a class or id, in any of the usual spellings: `site-nav`, `site_nav`, `siteNav`. */
function anyOf(names: string): RegExp {
  return new RegExp(`(?:^|[\\s_-])(?:${names.trim().split(/\s+/).join('|')})(?=$|[\\s_-])`)
}

const STRONG =
  anyOf(`ads? advert advertisement breadcrumbs? consent cookies? cookie-?banner cookie-?notice disqus gdpr
  navbar newsletter pagination paginator pager paywall popup prev-?next promo share sharing skip-?links? skip-?to-?content
  skip-?nav social sponsored subscribe comments-area comments-section mw-editsection edit-?link
  noprint`)

const WEAK =
  anyOf(`banner byline bottom-?nav caption-?bar comments? copyright credits footer global-?nav header hd ft
  headers? legal links login logo masthead menu metadata nav navigation navheader navfooter navigations? outbrain
  post-?meta quick-?links recommended related respond rss search searchbox side-?bar side-?nav signup site-?header
  site-?footer subnav tagline taboola tags toolbar top-?bar topnav widgets?`)
