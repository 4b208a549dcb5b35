const QUOTE = 0x22
const APOSTROPHE = 0x27
const EQUALS = 0x3d
const GT = 0x3e

/**
 * The position of the `>` that ends a tag whose attributes are written as nearly all are: values as `="…"` or `='…'` right behind a letter.
 * -1 for a tag with anything less usual, and for one that the page cuts off: it has to be read attribute by attribute.
 * @param units `codeUnitsOf(html)`
 * @param start behind the name of the tag
 */
export function plainTagEnd(units: Uint16Array, start: number): number {
  for (let pos = start; ; pos++) {
    let c = units[pos] ?? 0
    if (c > GT) continue
    if (c === GT) return pos
    if (c === EQUALS) {
      const quote = units[pos + 1] ?? 0
      if ((units[pos - 1] ?? 0) <= GT || (quote !== QUOTE && quote !== APOSTROPHE)) return -1
      pos++
      do c = units[++pos] ?? 0
      while (c !== quote && c !== 0)
    }
    // The end of the page, or a NUL in it.
    if (c === 0) return -1
  }
}
