import { readFileSync } from 'node:fs'

/** Enough for a polite crawl of thousands of hosts to find each one's connection again; each takes some 30 kB. */
const MOST = 4_000
/** What a process has open beside: files of the database, the segments, the parser threads. */
const FOR_OTHERS = 300

/** How many connections may be open at once: as many as are of use, if the system lets a process have so many files. */
export function connectionLimit(limits: () => string = processLimits): number {
  const files = Number(/^Max open files\s+(\d+)/m.exec(limits())?.[1] ?? Number.NaN)
  // Systems that do not say it grant at least a thousand and some.
  if (!Number.isFinite(files)) return 1_000
  return Math.max(100, Math.min(MOST, files - FOR_OTHERS))
}

function processLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'latin1')
  } catch {
    return ''
  }
}
