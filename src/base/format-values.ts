import { printable } from './printable.ts'

/** Formats an integer: `1,234`. Not `toLocaleString`, because loading the locale data of V8 takes 20 ms. */
export function formatNumber(n: number): string {
  return String(n).replace(/\B(?=(?:\d{3})+$)/g, ',')
}

/** Formats a number of things: `1 URL`, `2 URLs`. */
export function formatCount(n: number, noun: string, plural = `${noun}s`): string {
  return `${formatNumber(n)} ${n === 1 ? noun : plural}`
}

/** Formats counts by name, highest first: `3 scheme, 1 filtered`; `''` if there are none. */
export function formatCounts(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .sort(([, a], [, b]) => b - a)
    .map(([name, n]) => `${formatNumber(n)} ${name}`)
    .join(', ')
}

/** `850 ms`, `12.3 s`, `4 min 5 s`, `2 h 3 min`, `30 d`. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 60) return `${minutes} min ${Math.round((ms % 60_000) / 1_000)} s`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.round(hours / 24)} d`
}

/** `12.3 MB`. */
export function formatBytes(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB']
  const power = Math.min(units.length - 1, bytes < 1_000 ? 0 : Math.floor(Math.log10(bytes) / 3))
  return power === 0 ? `${bytes} bytes` : `${(bytes / 1_000 ** power).toFixed(1)} ${units[power]}`
}

/** `2026-11-15 18:08:30Z`; `never` for 0. */
export function formatTime(ms: number): string {
  return ms === 0 ? 'never' : `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')}Z`
}

/** Text on one line, without control characters. */
export function printableLine(text: string, maxLength = 200): string {
  return printable(text.replace(/\s+/g, ' ').trim(), maxLength)
}

/** Text of several lines with their indentation, without control characters. */
export function printableLines(text: string): string {
  return text
    .split('\n')
    .map((line) => `${/^ */.exec(line)?.[0] ?? ''}${printable(line, MAX_LINE_LENGTH)}`)
    .join('\n')
}

const MAX_LINE_LENGTH = 2_000

/** The length of the longest text, for a column of a table; 0 if there are none. */
export function columnWidth(texts: Iterable<string | undefined>): number {
  let width = 0
  for (const text of texts) width = Math.max(width, text?.length ?? 0)
  return width
}

/** One JSON document as commands print it with `--json`: indented, with a line break at the end. */
export function formatJson(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`
}
