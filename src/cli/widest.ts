/** The length of the longest of some texts, for a column of a table; 0 for none. */
export function widest(texts: Iterable<string | undefined>): number {
  let width = 0
  for (const text of texts) width = Math.max(width, text?.length ?? 0)
  return width
}
