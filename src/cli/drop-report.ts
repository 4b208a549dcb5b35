import type { DropCounts } from '../base/drop-counts.ts'
import { formatCount, printableLine } from './format-values.ts'

/** `scope: 1,234 links`, a text for each reason, most first. */
export function dropTexts(dropped: DropCounts): string[] {
  return Object.entries(dropped)
    .sort(([, a], [, b]) => b - a)
    .map(([reason, n]) => `${printableLine(reason, 80)}: ${formatCount(n, ...unitOf(reason))}`)
}

/** What the drops of a reason are. */
function unitOf(reason: string): [string, string] {
  if (reason === 'http.maxBodyBytes' || reason.startsWith('body ')) return ['body', 'bodies']
  if (reason === 'parse.maxTextChars' || reason === 'pages of a PDF') return ['text', 'texts']
  return ['link', 'links']
}
