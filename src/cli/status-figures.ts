import { textColumns } from './text-columns.ts'

/** A figure of a progress line. */
export interface Figure {
  readonly text: string
  /** When the line is too long, the figures with the highest number are left out first. */
  readonly rank: number
}

/** The figures in their order, without the least important ones if the line is too long. @param columns `undefined`: no limit */
export function joinFigures(figures: readonly Figure[], columns: number | undefined): string {
  let kept = figures
  for (;;) {
    const line = kept.map(({ text }) => text).join(SEPARATOR)
    if (columns === undefined || kept.length < 2 || textColumns(line) <= columns) return line
    const last = kept.reduce((worst, figure) => (figure.rank > worst.rank ? figure : worst))
    kept = kept.filter((figure) => figure !== last)
  }
}

const SEPARATOR = ' · '

/** `about 4 min left`. @param seconds `undefined`: unknown, no figure */
export function etaFigure(seconds: number | undefined, rank: number): Figure[] {
  return seconds === undefined || !Number.isFinite(seconds) ? [] : [{ text: etaText(seconds), rank }]
}

function etaText(seconds: number): string {
  if (seconds < 5) return 'a few seconds left'
  if (seconds < 55) return `about ${Math.ceil(seconds / 5) * 5} s left`
  const minutes = Math.round(seconds / 60)
  if (minutes < 90) return `about ${Math.max(1, minutes)} min left`
  const hours = Math.round(minutes / 60)
  return hours < 48 ? `about ${hours} h left` : `about ${Math.round(hours / 24)} d left`
}

/** A robots.txt that could not be fetched. */
interface RobotsTrouble {
  readonly origin: string
  readonly reason: string
  readonly retryAt: number
}

/** `robots.txt of example.org: 503, retry 14:05Z`; the one that is retried first, and the number of others. */
export function robotsFigure(failures: readonly RobotsTrouble[] | undefined, rank: number): Figure[] {
  if (failures === undefined || failures.length === 0) return []
  const first = failures.reduce((soonest, one) => (one.retryAt < soonest.retryAt ? one : soonest))
  const host = first.origin.replace(/^https?:\/\//, '')
  const reason = first.reason
    .replace(/^robots\.txt returned /, '')
    .replace(/^robots\.txt could not be fetched \((?:network-failure: )?(.*)\)$/, '$1')
    .replace(/^robots\.txt /, '')
  const others = failures.length > 1 ? ` (${failures.length - 1} more)` : ''
  const time = `${new Date(first.retryAt).toISOString().slice(11, 16)}Z`
  return [{ text: `robots.txt of ${host}: ${reason}, retry ${time}${others}`, rank }]
}
