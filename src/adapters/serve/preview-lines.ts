/** As much of a page's text as a person reads in a preview, line by line; lines without anything to read are left out. */
export function previewLines(text: string): { readonly lines: readonly string[]; readonly cut: boolean } {
  // The cut may be in the middle of a character that takes two units.
  const shown = text.slice(0, MAX_CHARS).toWellFormed()
  return {
    lines: shown.split('\n').filter((line) => line.trim() !== ''),
    cut: text.length > MAX_CHARS,
  }
}

const MAX_CHARS = 50_000
