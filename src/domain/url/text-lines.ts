/** A line of a rule or list file that says something. */
export interface TextLine {
  /** From 1. */
  readonly number: number
  /** Without the space around it. */
  readonly text: string
}

/** The lines of `content` but for empty ones and `#` comments. A byte order mark and any kind of line end will do. */
export function textLines(content: string): TextLine[] {
  const lines: TextLine[] = []
  const all = content.replace(/^\ufeff/, '').split(/\r\n|\n|\r/)
  for (const [i, line] of all.entries()) {
    const text = line.trim()
    if (text !== '' && !text.startsWith('#')) lines.push({ number: i + 1, text })
  }
  return lines
}
