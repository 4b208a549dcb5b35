/** The years that a label can have; dates outside them count as the nearest. */
const FIRST_YEAR = 1970
const LAST_YEAR = 2099
const FIRST_TIME = Date.UTC(FIRST_YEAR, 0)
const LAST_TIME = Date.UTC(LAST_YEAR + 1, 0) - 1

/** The labels of a date: its year, its month and its day (UTC). */
export function dateLabels(ms: number): string[] {
  const [year, month, day] = dayOf(ms)
  return [yearLabel(year), monthLabel(year, month), dayLabel(year, month, day)]
}

/**
 * The fewest labels of which every day from `from` up to and without that of `before` has one: whole years, then months, then days.
 * Empty if there is no such day.
 */
export function labelsBetween(from = FIRST_TIME, before = LAST_TIME + 1): string[] {
  const labels: string[] = []
  const end = Math.min(before, LAST_TIME + 1)
  let at = startOfDay(Math.max(from, FIRST_TIME))
  const lastDay = startOfDay(end)
  while (at < lastDay) {
    const [year, month, day] = dayOf(at)
    const nextYear = Date.UTC(year + 1, 0)
    const nextMonth = Date.UTC(year, month + 1)
    if (month === 0 && day === 1 && nextYear <= lastDay) {
      labels.push(yearLabel(year))
      at = nextYear
    } else if (day === 1 && nextMonth <= lastDay) {
      labels.push(monthLabel(year, month))
      at = nextMonth
    } else {
      labels.push(dayLabel(year, month, day))
      at += DAY_MS
    }
  }
  return labels
}

const DAY_MS = 86_400_000

function startOfDay(ms: number): number {
  return Math.floor(ms / DAY_MS) * DAY_MS
}

function dayOf(ms: number): [number, number, number] {
  const date = new Date(Math.min(LAST_TIME, Math.max(FIRST_TIME, ms)))
  return [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()]
}

function yearLabel(year: number): string {
  return `date${year}`
}

function monthLabel(year: number, month: number): string {
  return `date${year}m${month + 1}`
}

function dayLabel(year: number, month: number, day: number): string {
  return `date${year}m${month + 1}d${day}`
}
