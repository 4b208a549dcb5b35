import { readdirSync, readFileSync } from 'node:fs'

/** Ticks of /proc per second. */
const HERTZ = 100

/** Adds up the CPU time and the memory of all descendants of a process but itself. */
export class ProcessTree {
  readonly #root: number
  readonly #ticks = new Map<string, number>()
  peakMegabytes = 0
  /** At the last sample. */
  megabytes = 0

  constructor(root: number) {
    this.#root = root
  }

  get cpuSeconds(): number {
    return [...this.#ticks.values()].reduce((sum, ticks) => sum + ticks, 0) / HERTZ
  }

  sample(): void {
    const all = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap(statOf)
    const wanted = new Set([this.#root])
    // A child may be listed before its parent.
    for (let size = 0; size !== wanted.size; ) {
      size = wanted.size
      for (const { pid, parent } of all) if (wanted.has(parent)) wanted.add(pid)
    }
    let megabytes = 0
    for (const { pid, startedAt, ticks, pages } of all)
      if (wanted.has(pid) && pid !== this.#root) {
        this.#ticks.set(`${pid} ${startedAt}`, ticks)
        megabytes += (pages * 4096) / 1e6
      }
    this.megabytes = megabytes
    this.peakMegabytes = Math.max(this.peakMegabytes, megabytes)
  }
}

function statOf(pid: string) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const [parent, user, system, startedAt, pages] = [1, 11, 12, 19, 21].map((i) => Number(fields[i]))
    return [
      {
        pid: Number(pid),
        parent: parent ?? 0,
        ticks: (user ?? 0) + (system ?? 0),
        startedAt,
        pages: pages ?? 0,
      },
    ]
  } catch {
    return []
  }
}
