/** `1,234` */
export function formatNumber(n: number): string {
  return n.toLocaleString('en-US')
}

/** `1 page`, `2 pages` */
export function formatCount(n: number, noun: string, plural = `${noun}s`): string {
  return `${formatNumber(n)} ${n === 1 ? noun : plural}`
}

/** `16 Nov 2026, 01:36` in the time zone of the browser */
export function formatTime(ms: number): string {
  return ms === 0 ? 'never' : MOMENT.format(ms)
}

const MOMENT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' })

/** `01:36:46` */
export function formatTimeOfDay(ms: number): string {
  return TIME.format(ms)
}

const TIME = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' })

/** `16 Nov` */
export function formatDay(ms: number): string {
  return DAY.format(ms)
}

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })

/** `3 minutes ago`, `in 29 days` */
export function formatRelativeTime(ms: number, now = Date.now()): string {
  const seconds = (ms - now) / 1000
  const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1]
  return RELATIVE.format(Math.round(seconds / size), unit)
}

const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const UNITS: ReadonlyArray<readonly [Intl.RelativeTimeFormatUnit, number]> = [
  ['year', 31_557_600],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]

/** `850 ms`, `12.3 s`, `4 min`, `2.5 h`, `30 days` */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${Number((ms / 1_000).toFixed(1))} s`
  if (ms < 3_600_000) return `${Math.round(ms / 60_000)} min`
  if (ms < 172_800_000) return `${Number((ms / 3_600_000).toFixed(1))} h`
  return `${Math.round(ms / 86_400_000)} days`
}

/** `12.3 MB` */
export function formatBytes(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB']
  const power = Math.min(units.length - 1, bytes < 1_000 ? 0 : Math.floor(Math.log10(bytes) / 3))
  return power === 0 ? `${bytes} bytes` : `${(bytes / 1_000 ** power).toFixed(1)} ${units[power]}`
}

/** `HTML`, `PDF`; other types unchanged */
export function typeName(type: string): string {
  return TYPE_NAMES[type] ?? type
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  'text/html': 'HTML',
  'application/xhtml+xml': 'XHTML',
  'application/pdf': 'PDF',
  'text/plain': 'Text',
  'application/xml': 'XML',
  'text/xml': 'XML',
  'application/rss+xml': 'RSS',
  'application/atom+xml': 'Atom',
  'application/json': 'JSON',
}

/** `German`; unknown tags are returned unchanged */
export function languageName(tag: string): string {
  try {
    return LANGUAGES.of(tag) ?? tag
  } catch {
    return tag
  }
}

const LANGUAGES = new Intl.DisplayNames('en', { type: 'language' })
