import { NameTrie } from './name-trie.ts'
import { CELL_BREAK, LINE_BREAK } from './text-writer.ts'

/**
 * A tag is a number whose low bits tell what the scanner has to do about it, so that the many tags it has nothing to
 * do about cost nothing. 0 is any tag the scanner does not know.
 */
export type Tag = number

/** What the bits of a tag mean. */
export const TAG_BITS = {
  /** Two bits: the break (see text-writer.ts) that start and end of the tag put into the text. */
  breaks: 0b11,
  /** The start tag ends `<svg>` and `<math>`. */
  breakout: 1 << 2,
  /** The attributes of the start tag are looked at. */
  attributes: 1 << 3,
  /** The start tag holds a link or metadata. */
  telling: 1 << 4,
  /** The start tag changes how the following is read. */
  entered: 1 << 5,
  /** The end tag changes how the following is read. */
  left: 1 << 6,
  /** Start and end are edges of a table cell: a link left open inside the cell ends there. */
  cellEdge: 1 << 7,
  /** The content is text up to the element's own end tag. */
  rawText: 1 << 8,
} as const

/** Above the bits, a number for each name. */
const NUMBER_SHIFT = 9

const CELLS = words('td th')
const LINES =
  words(`address article aside blockquote br caption center dd details dialog dir div dl dt fieldset
  figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li listing main menu nav ol
  optgroup option p plaintext pre search section summary table tbody tfoot thead tr ul xmp`)

/** The standard's list, without `font`, which is one only with certain attributes. */
const BREAKOUTS =
  words(`b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li
  listing menu meta nobr ol p pre ruby s small span strike strong sub sup table tt u ul var`)

const TELLING_TAGS = words('a area base form frame html iframe image img link meta script source')
const RAW_TEXT_TAGS = words('iframe noembed noframes script style textarea title xmp')
const CELL_EDGES = words('caption table tbody td tfoot th thead tr')
/** Contexts are those of open-contexts.ts. */
const CONTEXTS = words('annotation-xml desc foreignobject math mi mn mo ms mtext svg template title')
const ATTRIBUTE_TAGS = words('annotation-xml font')
const ENTERED_TAGS = words('listing math plaintext pre svg template')
const LEFT_TAGS = words('a listing pre')

const TAGS: ReadonlyMap<string, Tag> = numberAll()
/** Finds the tag of a name while it is read. */
export const TAG_TRIE = new NameTrie(TAGS)

/** The tag of a lower-case name. */
export function tagNamed(name: string): Tag {
  const tag = TAGS.get(name)
  if (tag === undefined) throw new RangeError(`the scanner does not know <${name}>`)
  return tag
}

function numberAll(): Map<string, Tag> {
  const bits = new Map<string, number>()
  const add = (names: readonly string[], bit: number) => {
    for (const name of names) bits.set(name, (bits.get(name) ?? 0) | bit)
  }
  const { breakout, attributes, telling, entered, left, cellEdge, rawText } = TAG_BITS
  add(CELLS, CELL_BREAK)
  add(LINES, LINE_BREAK)
  add(BREAKOUTS, breakout)
  add(TELLING_TAGS, telling | attributes)
  add(ATTRIBUTE_TAGS, attributes)
  add(RAW_TEXT_TAGS, rawText | entered)
  add(CELL_EDGES, cellEdge | entered | left)
  add(ENTERED_TAGS, entered)
  add(LEFT_TAGS, left)
  add(CONTEXTS, left)
  return new Map([...bits].map(([name, own], index) => [name, own | ((index + 1) << NUMBER_SHIFT)]))
}

/** The words of a list that is written as one text. */
export function words(list: string): string[] {
  return list.split(/\s+/)
}
