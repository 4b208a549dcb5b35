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

/** `16 Nov 2026, 01:36:46` */
export function formatExactTime(ms: number): string {
  return EXACT.format(ms)
}

const EXACT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })

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

/** `now`, `in 4 s`, `4 s ago`, `in 3 min`: for figures that change every second */
export function formatShortRelativeTime(ms: number, now: number): string {
  const difference = ms - now
  if (Math.abs(difference) < 500) return 'now'
  const text = formatWholeDuration(Math.abs(difference))
  return difference > 0 ? `in ${text}` : `${text} ago`
}

/** `4 s`, `3 min`, `2 h 5 min`, `3 days`: rounded so that it does not change more often than necessary */
export function formatWholeDuration(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1_000))
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`
  return `${Math.round(hours / 24)} days`
}

/** `0.3`, `12.4`, `1,234`; `<0.1` for less */
export function formatRate(n: number): string {
  if (n > 0 && n < 0.05) return '<0.1'
  return n < 99.95 ? n.toFixed(1) : formatNumber(Math.round(n))
}

/** `12%`, `0.4%`, `<0.1%` */
export function formatShare(part: number, whole: number): string {
  if (part === 0 || whole === 0) return '0%'
  const percent = (100 * part) / whole
  if (percent < 0.1) return '<0.1%'
  return percent < 10 ? `${Number(percent.toFixed(1))}%` : `${Math.round(percent)}%`
}

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
  return power === 0 ? `${Math.round(bytes)} bytes` : `${(bytes / 1_000 ** power).toFixed(1)} ${units[power]}`
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
