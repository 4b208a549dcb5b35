import type { DropCounts } from '../base/drop-counts.ts'
import { counted, shown } from './shown.ts'

/** `scope: 1,234 links`, a text for each reason, most first. */
export function dropTexts(dropped: DropCounts): string[] {
  return Object.entries(dropped)
    .sort(([, a], [, b]) => b - a)
    .map(([reason, n]) => `${shown(reason, 80)}: ${counted(n, ...unitOf(reason))}`)
}

/** What the drops of a reason are. */
function unitOf(reason: string): [string, string] {
  if (reason === 'http.maxBodyBytes' || reason.startsWith('body ')) return ['body', 'bodies']
  if (reason === 'parse.maxTextChars' || reason === 'pages of a PDF') return ['text', 'texts']
  return ['link', 'links']
}
