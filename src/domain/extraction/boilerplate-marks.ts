import type { ElementNode } from '../selectors/nodes.ts'

/**
 * What the name, the role and the classes of an element tell about it. `never`: it is not visible. `strong`: it is
 * boilerplate unless it has most of the text. `weak`: it is boilerplate if it has little text of its own.
 */
export type BoilerplateMark = 'never' | 'strong' | 'weak' | undefined

export function boilerplateMark(element: ElementNode): BoilerplateMark {
  const byName = NAMES.get(element.name)
  // Most elements have no attributes, or a class.
  if (!element.hasAttributes) return byName
  if (isInvisible(element)) return 'never'
  const role = element.attribute('role')
  const byRole = role === undefined ? undefined : ROLES.get(role.trim().toLowerCase())
  if (byName === 'strong' || byRole === 'strong') return 'strong'
  const byWords = markOfWords(classAndId(element))
  return byWords === 'strong' ? byWords : (byRole ?? byName ?? byWords)
}

/** Classes and ids repeat on all pages of a site, and the expressions are long: what they tell is kept. */
const knownMarks = new Map<string, BoilerplateMark>()
const MAX_KNOWN = 5_000

function markOfWords(written: string): BoilerplateMark {
  if (written === '') return undefined
  if (knownMarks.has(written)) return knownMarks.get(written)
  // In lower case, words separated.
  const words = written.replace(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase()
  const mark = STRONG.test(words) ? 'strong' : WEAK.test(words) ? 'weak' : undefined
  if (knownMarks.size >= MAX_KNOWN) knownMarks.clear()
  knownMarks.set(written, mark)
  return mark
}

/** Marks of the element that has the main content; one of them is enough. */
export function isMarkedAsMain(element: ElementNode): boolean {
  if (element.name === 'main') return true
  if (element.attribute('role')?.trim().toLowerCase() === 'main') return true
  return element.attribute('itemprop')?.trim() === 'articleBody'
}

function isInvisible(element: ElementNode): boolean {
  if (element.attribute('hidden') !== undefined) return true
  if (element.attribute('aria-hidden')?.trim().toLowerCase() === 'true') return true
  const style = element.attribute('style')
  return style !== undefined && HIDDEN_STYLE.test(style)
}

const HIDDEN_STYLE = /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i

/** The id of a section is made of its heading, and says nothing. */
function classAndId(element: ElementNode): string {
  const classes = element.attribute('class') ?? ''
  const isSection = element.name === 'section' || classes.includes('section')
  const id = isSection ? '' : (element.attribute('id') ?? '')
  return id === '' ? classes : `${classes} ${id}`
}

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
