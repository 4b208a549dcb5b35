import { words } from '../html/tags.ts'

/** How the elements of HTML take part in the text of a page. Elements with other names are inline. */

/** Elements that readers of the page do not see, or that are not part of its text. */
export const INVISIBLE: ReadonlySet<string> = new Set(
  words(`area audio base button canvas command datalist dialog embed frame frameset head iframe input link map meta
  noembed noframes noscript object optgroup option param progress script select source style svg template textarea title
  track video`),
)

/** Elements that start a new line. */
export const BLOCKS: ReadonlySet<string> = new Set(
  words(`address article aside blockquote body caption center dd details dir div dl dt fieldset figcaption figure footer
  form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu nav ol p plaintext pre search section summary
  table tbody td tfoot th thead tr ul xmp`),
)

/** Elements that may be boilerplate as a whole, by their names, roles and classes. */
export const JUDGED: ReadonlySet<string> = new Set(
  words('article aside details div fieldset footer form header menu nav ol p search section table ul'),
)

/** Blocks that group others: the root of a main content is one of them. */
export const CONTAINERS: ReadonlySet<string> = new Set(
  words(`article aside body center details div dl fieldset figure footer form header html main menu nav ol p search
  section table tbody td tr ul`),
)

export const HEADINGS: ReadonlySet<string> = new Set(words('h1 h2 h3 h4 h5 h6'))

/** Elements that keep white space. */
export const PREFORMATTED: ReadonlySet<string> = new Set(words('listing plaintext pre xmp'))
