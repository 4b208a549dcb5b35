import { escapeLineStart, escapeMarkdown } from './escape-markdown.ts'

/** Markdown of plain text: a paragraph for each line, with everything escaped that means markup. */
export function plainMarkdown(text: string): string[] {
  return text
    .split(/[\n\f]+/)
    .map((line) => escapeLineStart(escapeMarkdown(line.replace(/\s+/g, ' ').trim(), '', '')))
    .filter((line) => line !== '')
}
