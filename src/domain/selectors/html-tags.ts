import { NameTrie } from '../html/name-trie.ts'
import { words } from '../html/tags.ts'

/** How an HTML element is read, as htmlparser2 reads it: enough of the standard to put pages into trees, no repair of misnested formatting. */
export interface HtmlTag {
  /** Lower case, but for the elements of SVG that have capitals. */
  readonly name: string
  /** It has no content and no end tag. */
  readonly isVoid: boolean
  /** Those around it that its start tag ends, one after the other. */
  readonly ends: ReadonlySet<string> | undefined
  /** Its content is not markup: `text`, up to its end tag; `all`, up to the end of the page. */
  readonly holds: 'text' | 'all' | undefined
  /** By which rules its content is read; `undefined`: by those around it. */
  readonly opens: 'svg' | 'math' | 'html' | undefined
}

/** `name` as the tree has it, outside of SVG. */
export function htmlTagNamed(name: string): HtmlTag {
  return TAG_BY_NAME.get(name) ?? plainTag(name)
}

/** As SVG writes it; `undefined`: in lower case. */
export function svgName(name: string): string | undefined {
  return SVG_NAMES.get(name)
}

const P = new Set(['p'])
const HEADINGS = new Set(words('h1 h2 h3 h4 h5 h6 p'))
const FIELDS = new Set(words('input option optgroup select button datalist textarea'))
const TERMS = new Set(words('dd dt'))
const RUBY = new Set(words('rt rp'))
const SECTIONS = new Set(words('thead tbody'))

const ENDS: ReadonlyArray<readonly [names: string, ends: ReadonlySet<string>]> = [
  ['tr', new Set(words('tr th td'))],
  ['th', new Set(['th'])],
  ['td', new Set(words('thead th td'))],
  ['body', new Set(words('head link script'))],
  ['a', new Set(['a'])],
  ['li', new Set(['li'])],
  ['h1 h2 h3 h4 h5 h6', HEADINGS],
  ['select input output button datalist textarea', FIELDS],
  ['option', new Set(['option'])],
  ['optgroup', new Set(words('optgroup option'))],
  ['dd dt', TERMS],
  ['rt rp', RUBY],
  ['tbody tfoot', SECTIONS],
  ['p address article aside blockquote details div dl fieldset figcaption figure footer form', P],
  ['header hr main nav ol pre section table ul', P],
]
const VOID =
  'area base basefont br col command embed frame hr img input isindex keygen link meta param source track wbr'
const TEXT = 'iframe noembed noframes script style textarea title xmp'
/** Elements of SVG and MathML that may contain HTML. */
const HTML_INSIDE = 'mi mo mn ms mtext annotation-xml foreignObject desc title'
/** Frequent elements without special rules: known names need no new string. */
const FREQUENT =
  'abbr b center cite code del em font head html i image ins kbd label legend map mark noscript object path picture q s samp small span strong sub summary sup template time tt u var video'

const SVG_NAMES = new Map(
  words(`altGlyph altGlyphDef altGlyphItem animateColor animateMotion animateTransform clipPath feBlend feColorMatrix
    feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight feDropShadow
    feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feImage feMerge feMergeNode feMorphology feOffset fePointLight
    feSpecularLighting feSpotLight feTile feTurbulence foreignObject glyphRef linearGradient radialGradient textPath`).map(
    (name) => [name.toLowerCase(), name],
  ),
)

const TAG_BY_NAME: ReadonlyMap<string, HtmlTag> = describeAll()
const KNOWN: readonly HtmlTag[] = [...TAG_BY_NAME.values()].filter(({ name }) => name === name.toLowerCase())

/** Finds, while a name is read, where its tag is in `knownTag`. */
export const HTML_TAG_TRIE = new NameTrie(new Map(KNOWN.map(({ name }, index) => [name, index + 1])))

/** @param value what `HTML_TAG_TRIE` found; `undefined` for a name it does not know */
export function knownTag(value: number): HtmlTag | undefined {
  return KNOWN[value - 1]
}

function describeAll(): Map<string, HtmlTag> {
  const tags = new Map<string, HtmlTag>()
  const add = (names: string, more: Partial<HtmlTag>) => {
    for (const name of words(names)) tags.set(name, { ...(tags.get(name) ?? plainTag(name)), ...more })
  }
  for (const [names, ends] of ENDS) add(names, { ends })
  add(VOID, { isVoid: true })
  add(TEXT, { holds: 'text' })
  add('plaintext', { holds: 'all' })
  add(HTML_INSIDE, { opens: 'html' })
  add('svg', { opens: 'svg' })
  add('math', { opens: 'math' })
  add(FREQUENT, {})
  return tags
}

function plainTag(name: string): HtmlTag {
  return { name, isVoid: false, ends: undefined, holds: undefined, opens: undefined }
}
