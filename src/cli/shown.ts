import { printable } from '../base/printable.ts'

/** `1,234`, of a whole number. By hand, as a command would wait 20 ms for V8 to load what it knows of locales. */
export function count(n: number): string {
  return String(n).replace(/\B(?=(?:\d{3})+$)/g, ',')
}

/** `1 URL`, `2 URLs`. */
export function counted(n: number, noun: string, plural = `${noun}s`): string {
  return `${count(n)} ${n === 1 ? noun : plural}`
}

/** `3 scheme, 1 filtered`; `''` when there are none. */
export function tally(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .sort(([, a], [, b]) => b - a)
    .map(([name, n]) => `${count(n)} ${name}`)
    .join(', ')
}

/** `850 ms`, `12.3 s`, `4 min 5 s`, `2 h 3 min`, `30 d`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 60) return `${minutes} min ${Math.round((ms % 60_000) / 1_000)} s`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.round(hours / 24)} d`
}

/** `12.3 MB`. */
export function byteCount(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB']
  const power = Math.min(units.length - 1, bytes < 1_000 ? 0 : Math.floor(Math.log10(bytes) / 3))
  return power === 0 ? `${bytes} bytes` : `${(bytes / 1_000 ** power).toFixed(1)} ${units[power]}`
}

/** `2026-11-15 18:08:30Z`; `never` for 0. */
export function moment(ms: number): string {
  return ms === 0 ? 'never' : `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')}Z`
}

/** One line, without anything that could act on a terminal. */
export function shown(text: string, maxLength = 200): string {
  return printable(text.replace(/\s+/g, ' ').trim(), maxLength)
}
