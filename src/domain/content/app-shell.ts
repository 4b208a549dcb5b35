/** Why a page is taken for the shell of a JavaScript app: its text is made by scripts. */
export interface AppShellEvidence {
  /** Characters of text outside of scripts, styles and `<noscript>`. */
  readonly textChars: number
  /** External scripts, and inline ones that are not data. */
  readonly scripts: number
  /** An element that scripts fill is empty: `<div id="root"></div>`, `<app-root></app-root>`. */
  readonly hasEmptyRoot: boolean
  /** `<noscript>` says that the page needs JavaScript. */
  readonly hasNotice: boolean
  /** Images, frames and form fields in the body: a page without text may consist of them. */
  readonly media: number
  readonly isApp: boolean
}

/** A larger document has its text in it, or is not worth the time. */
const MAX_BYTES = 512 * 1024
/** With this much text, a page is worth reading without its scripts. */
const MAX_TEXT_OF_SHELL = 300
/** With a notice and an empty root: header and footer of a shell may have more text. */
const MAX_TEXT_AROUND_ROOT = 900
/** Without an empty root. */
const MAX_TEXT_WITH_NOTICE = 150
/** A page with scripts alone. */
const MAX_TEXT_OF_EMPTY_PAGE = 20

/** Whether an HTML page is the shell of an app. Fast for other pages: most are decided by one search for its marks. */
export function looksLikeApp(bytes: Uint8Array): boolean {
  if (bytes.length > MAX_BYTES || bytes.length === 0) return false
  const html = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  if (!/<script\b/i.test(html)) return false
  if (html.length >= MAX_BYTES_OF_EMPTY_PAGE && (!MARKS.test(html) || startsWithText(html))) return false
  return appShellEvidence(html).isApp
}

/**
 * Whether the start of a page has more text than an app may have, so that the rest need not be read: sites with a `<noscript>` have one on each
 * page. A page has at least as much text as its start up to a `<`: what is hidden at the end of the start is hidden up to it.
 */
function startsWithText(html: string): boolean {
  const end = html.lastIndexOf('<', START_CHARS)
  if (html.length <= START_CHARS || end === -1) return false
  const { visible } = separateScripts(html.slice(0, end))
  // A tag may be interrupted by a script and end after it.
  const last = visible.lastIndexOf('<')
  const whole = visible.includes('>', last) ? visible : visible.slice(0, last)
  return textLength(whole) >= MAX_TEXT_AROUND_ROOT
}

const START_CHARS = 8_192

/** A page without marks can only be one that is nearly empty. */
const MAX_BYTES_OF_EMPTY_PAGE = 4_096
const ROOT_IDS =
  'root|app|application|main-app|react-root|react-app|vue-app|svelte|svelte-app|ember-app|q-app|__next|__nuxt|___gatsby|app-root|app-container|app-mount|mount|container-root|spa|spa-root|elm|elm-app'
const MARKS = new RegExp(
  `\\bid=["']?(?:${ROOT_IDS})["'\\s>]|<noscript|<(?:[a-z]+-)+(?:root|app|shell|main)\\b|<app-[a-z]|\\bng-app\\b|\\bdata-reactroot\\b`,
  'i',
)
/** The name cannot end early, and attributes end before the next tag: a pattern that can be matched in several ways takes quadratic time. */
const TAG = /<([a-z][a-z0-9-]*)(?![a-z0-9-])([^<>]*)>/gi
const ROOT_NAME = /^(?:(?:[a-z0-9]+-)+(?:root|app|shell|main)|app-[a-z-]+)$/i
const ROOT_ID = new RegExp(`\\bid=["']?(?:${ROOT_IDS})(?:["'\\s]|$)`, 'i')
const SCRIPT = /<script\b([^<>]*)>[\s\S]*?(?:<\/script\s*>|$)/gi
const HIDDEN = /<!--[\s\S]*?(?:-->|$)|<(style|template|svg|title|head)\b[^<>]*>[\s\S]*?(?:<\/\1\s*>|$)/gi
const NOSCRIPT = /<noscript\b[^<>]*>([\s\S]*?)(?:<\/noscript\s*>|$)/gi
const NOTICE = /java\s?script/i
const MEDIA = /<(?:img|iframe|frame|frameset|object|embed|video|audio|input|textarea|select|canvas)\b/gi

interface PageParts {
  /** Without scripts, `<noscript>`, and what is not shown. */
  readonly visible: string
  readonly scripts: number
  /** Contents of `<noscript>`. */
  readonly notices: readonly string[]
}

function separateScripts(html: string): PageParts {
  let scripts = 0
  const notices: string[] = []
  const visible = html
    .replace(SCRIPT, (_, attributes: string) => {
      if (isCode(attributes)) scripts++
      return ' '
    })
    .replace(NOSCRIPT, (_, notice: string) => {
      notices.push(notice)
      return ' '
    })
    .replace(HIDDEN, ' ')
  return { visible, scripts, notices }
}

export function appShellEvidence(html: string): AppShellEvidence {
  const { visible, scripts, notices } = separateScripts(html)
  const textChars = textLength(visible)
  const hasNotice = notices.some((notice) => NOTICE.test(notice) && textLength(notice) > 0)
  const hasEmptyRoot = scripts > 0 && hasEmptyRootIn(visible)
  const media = visible.match(MEDIA)?.length ?? 0
  const isApp =
    scripts > 0 &&
    ((hasEmptyRoot && textChars < (hasNotice ? MAX_TEXT_AROUND_ROOT : MAX_TEXT_OF_SHELL)) ||
      (hasNotice && textChars < MAX_TEXT_WITH_NOTICE && media === 0) ||
      (textChars < MAX_TEXT_OF_EMPTY_PAGE && media === 0 && !/http-equiv=["']?refresh/i.test(html)))
  return { textChars, scripts, hasEmptyRoot, hasNotice, media, isApp }
}

/** Data blocks (JSON-LD, import maps, templates) are not run. */
function isCode(attributes: string): boolean {
  const type = /\btype\s*=\s*["']?([^"'\s>]*)/i.exec(attributes)?.[1]?.toLowerCase() ?? ''
  return type === '' || type === 'module' || type.includes('javascript')
}

function hasEmptyRootIn(visible: string): boolean {
  let roots = 0
  for (const match of visible.matchAll(TAG)) {
    const [tag, name = '', attributes = ''] = match
    if (!ROOT_NAME.test(name) && !ROOT_ID.test(attributes)) continue
    const content = contentFrom(visible, match.index + tag.length, name)
    if (textLength(content) < MAX_TEXT_OF_PLACEHOLDER) return true
    if (++roots === MAX_ROOTS) return false
  }
  return false
}

/** Real pages have one or two. */
const MAX_ROOTS = 20

/** A shell may show `Loading…` until its scripts run. */
const MAX_TEXT_OF_PLACEHOLDER = 60

/** The content of an element whose start tag ends at `from`. */
function contentFrom(html: string, from: number, name: string): string {
  const tags = new RegExp(`<(/?)${name}\\b[^<>]*>`, 'gi')
  tags.lastIndex = from
  let depth = 1
  for (let tag = tags.exec(html); tag !== null; tag = tags.exec(html)) {
    depth += tag[1] === '/' ? -1 : 1
    if (depth === 0) return html.slice(from, tag.index)
  }
  return html.slice(from)
}

function textLength(html: string): number {
  return html
    .replace(/<[^<>]*>/g, ' ')
    .replace(/&[a-z#0-9]+;/gi, 'x')
    .replace(/\s+/g, ' ')
    .trim().length
}
