import { isSpace } from './characters.ts'
import { START } from './name-trie.ts'
import { TAG_TRIE, type Tag, tagNamed } from './tags.ts'

const BANG = 0x21
const DASH = 0x2d
const GT = 0x3e
const LT = 0x3c
const SLASH = 0x2f

const SCRIPT = tagNamed('script')

/** The position of the end tag of a raw text element; the length of the input if there is none. */
export function rawTextEnd(html: string, pos: number, tag: Tag): number {
  for (let at = html.indexOf('</', pos); at !== -1; at = html.indexOf('</', at + 2)) {
    if (isTag(html, at + 2, tag)) return at
  }
  return html.length
}

/**
 * The same for `<script>`, which has a rule of its own: after `<!--` a `<script` hides the next `</script` until `-->`.
 */
export function scriptEnd(html: string, pos: number): number {
  for (let at = html.indexOf('<', pos); at !== -1; at = html.indexOf('<', at)) {
    const next = html.charCodeAt(at + 1)
    if (next === SLASH && isTag(html, at + 2, SCRIPT)) return at
    if (next === BANG && html.charCodeAt(at + 2) === DASH && html.charCodeAt(at + 3) === DASH) {
      const end = escapedScriptEnd(html, at + 4)
      if (end.isScriptEnd) return end.at
      at = end.at
    } else at++
  }
  return html.length
}

/**
 * From after the `<!--` to the `</script` that ends the script or to after the `-->` that ends the escape. Character
 * by character: a search for a `-->` that never comes would be repeated for every script of the page.
 */
function escapedScriptEnd(html: string, pos: number): { at: number; isScriptEnd: boolean } {
  let doubly = false
  // The dashes of `<!--` may be those of the `-->`.
  let dashes = 2
  for (let i = pos; i < html.length; i++) {
    const c = html.charCodeAt(i)
    if (c === DASH) {
      dashes++
      continue
    }
    if (c === GT && dashes >= 2) return { at: i + 1, isScriptEnd: false }
    dashes = 0
    if (c !== LT) continue
    const closing = html.charCodeAt(i + 1) === SLASH
    if (closing && isTag(html, i + 2, SCRIPT)) {
      if (!doubly) return { at: i, isScriptEnd: true }
      doubly = false
    } else if (!closing && isTag(html, i + 1, SCRIPT)) doubly = true
  }
  return { at: html.length, isScriptEnd: true }
}

/** The position after a `<!--` comment whose content starts at `pos`; the length of the input if it does not end. */
export function commentEnd(html: string, pos: number): number {
  // `<!-->` and `<!--->` are whole comments.
  if (html.charCodeAt(pos) === GT) return pos + 1
  if (html.charCodeAt(pos) === DASH && html.charCodeAt(pos + 1) === GT) return pos + 2
  for (let at = html.indexOf('--', pos); at !== -1; at = html.indexOf('--', at)) {
    at += 2
    while (html.charCodeAt(at) === DASH) at++
    if (html.charCodeAt(at) === GT) return at + 1
    if (html.charCodeAt(at) === BANG && html.charCodeAt(at + 1) === GT) return at + 2
  }
  return html.length
}

/** The same for what ends at the next `>`: a doctype, and all that browsers take for a comment. */
export function bogusCommentEnd(html: string, pos: number): number {
  const at = html.indexOf('>', pos)
  return at === -1 ? html.length : at + 1
}

/** Whether exactly the name of `tag` is at `pos`. */
function isTag(html: string, pos: number, tag: Tag): boolean {
  let state = START
  let c = html.charCodeAt(pos)
  // State 0: not the beginning of a known name, so the remaining characters do not matter.
  while (state !== 0 && c !== GT && c !== SLASH && !isSpace(c)) {
    state = TAG_TRIE.step(state, c)
    c = html.charCodeAt(++pos)
  }
  return TAG_TRIE.valueAt(state) === tag
}
