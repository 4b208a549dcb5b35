import type { AuditedRequest } from '../../domain/certificate/host-audit.ts'
import type {
  DisallowedEntry,
  LimitsEntry,
  LogBatch,
  LogEntry,
  LostEntry,
  ProcessEntry,
  RequestEntry,
  RequestLogPart,
} from '../../domain/certificate/request-log-entry.ts'
import type { RobotsTexts, RobotsVersion } from '../../domain/certificate/robots-audit.ts'

export type LoggedRequest = Omit<AuditedRequest, 'isSelected'>

/** What happened at a time, in one of the processes. `request` is the same object for the start and the end. */
export type LogEvent =
  | { readonly kind: 'start' | 'withdrawn'; readonly at: number; readonly request: LoggedRequest }
  | {
      readonly kind: 'end'
      readonly at: number
      readonly request: LoggedRequest
      readonly entry: RequestEntry
    }
  | {
      readonly kind: 'disallowed'
      readonly at: number
      readonly entry: DisallowedEntry
      readonly robots: RobotsVersion | 'unknown' | undefined
    }

/** Is told about the files as they are read. */
export interface LogFileObserver {
  process(entry: ProcessEntry): void
  lost(entry: LostEntry): void
  /** After the last batch. */
  read(file: RequestLogPart, end: FileEnd): void
}

export interface FileEnd {
  /** Time of the last flush; `undefined`: the file has none. */
  readonly lastFlushAt: number | undefined
  readonly isClosed: boolean
  /** How much the time of day was set forward (or back) during the process. */
  readonly clockSetMs: number
}

/**
 * The events of all files in the order of time, in bounded memory: of each file, only the batch that is being merged is in memory, and only
 * files whose processes ran at the same time are open together.
 */
export async function* mergeRequestLogs(
  files: readonly RequestLogPart[],
  texts: RobotsTexts,
  observer: LogFileObserver,
): AsyncGenerator<readonly LogEvent[]> {
  const waiting = [...files]
  const active = new Set<FileMerge>()
  let pending: LogEvent[] = []
  for (;;) {
    const earliest = earliestOf(active)
    const next = waiting[0]
    if (next !== undefined && next.startedAt <= earliest) {
      active.add(new FileMerge(next, texts, observer))
      waiting.shift()
      continue
    }
    const merge = [...active].find(({ through }) => through === earliest)
    if (merge === undefined) break
    const events = await merge.next()
    for (const event of events ?? merge.close()) pending.push(event)
    if (events === undefined) active.delete(merge)
    const known = Math.min(waiting[0]?.startedAt ?? Number.POSITIVE_INFINITY, earliestOf(active))
    pending.sort(inOrder)
    const split = pending.findIndex(({ at }) => at >= known)
    const ready = split === -1 ? pending : pending.slice(0, split)
    pending = split === -1 ? [] : pending.slice(split)
    if (ready.length > 0) yield ready
  }
  if (pending.length > 0) yield pending
}

/** Of two events at the same time the end comes first: the requests did not overlap. */
function inOrder(a: LogEvent, b: LogEvent): number {
  return a.at - b.at || RANK[a.kind] - RANK[b.kind]
}

const RANK = { disallowed: 0, withdrawn: 1, end: 1, start: 2 } as const

/** A request that took no time still starts before it ends. */
const SHORTEST_MS = 0.05

/** Until when the file with the earliest known time is read; `Infinity` without files. */
function earliestOf(active: Iterable<FileMerge>): number {
  let earliest = Number.POSITIVE_INFINITY
  for (const { through } of active) earliest = Math.min(earliest, through)
  return earliest
}

/** Reads one file and resolves the references of its lines. */
class FileMerge {
  /** All events before this time are known. */
  through: number
  readonly #file: RequestLogPart
  readonly #batches: AsyncGenerator<LogBatch>
  readonly #texts: RobotsTexts
  readonly #observer: LogFileObserver
  readonly #limits = new Map<number, LimitsEntry>()
  readonly #robots = new Map<number, RobotsVersion>()
  readonly #open = new Map<number, LoggedRequest>()
  #process: ProcessEntry | undefined
  #lastFlushAt: number | undefined
  #firstOffset: number | undefined
  #clockSetMs = 0
  #isClosed = false

  constructor(file: RequestLogPart, texts: RobotsTexts, observer: LogFileObserver) {
    this.#file = file
    this.#texts = texts
    this.#observer = observer
    this.#batches = file.batches()
    this.through = file.startedAt
  }

  /** The events of the next batch; `undefined` after the last. */
  async next(): Promise<LogEvent[] | undefined> {
    const { value: batch, done } = await this.#batches.next()
    if (done === true) return undefined
    const { at, wall, closed } = batch.flush
    // Never backwards, or the loop above would not end.
    this.through = Math.max(this.through, at)
    this.#lastFlushAt = at
    this.#isClosed = closed === true
    this.#firstOffset ??= wall - at
    const clockSetMs = wall - at - this.#firstOffset
    if (Math.abs(clockSetMs) > Math.abs(this.#clockSetMs)) this.#clockSetMs = clockSetMs
    return batch.entries.flatMap((entry) => this.#eventsOf(entry))
  }

  /** The ends of requests that were in flight when the process was killed. */
  close(): LogEvent[] {
    const lastFlushAt = this.#lastFlushAt
    this.#observer.read(this.#file, { lastFlushAt, isClosed: this.#isClosed, clockSetMs: this.#clockSetMs })
    return [...this.#open.values()].map((request) => ({
      ...{ kind: 'end', request, entry: request.entry },
      at: Math.max(lastFlushAt ?? 0, request.entry.start + SHORTEST_MS),
    }))
  }

  #eventsOf(entry: LogEntry): LogEvent[] {
    switch (entry.type) {
      case 'process':
        this.#process = entry
        this.#observer.process(entry)
        return []
      case 'limits':
        this.#limits.set(entry.id, entry)
        return []
      case 'robots':
        this.#robots.set(entry.id, this.#texts.version(entry, this.#process?.agent ?? ''))
        return []
      case 'lost':
        this.#observer.lost(entry)
        return []
      case 'disallowed':
        return [{ kind: 'disallowed', at: entry.at, entry, robots: this.#robotsOf(entry.robots) }]
      case 'open': {
        const request = this.#requestOf(entry)
        this.#open.set(entry.id ?? 0, request)
        return [{ kind: 'start', at: entry.start, request }]
      }
      case 'request':
        return this.#requestEvents(entry)
      case 'flush':
        return []
    }
  }

  #requestEvents(entry: RequestEntry): LogEvent[] {
    const { id, start, end = start } = entry
    const at = Math.max(end, start + SHORTEST_MS)
    const opened = id === undefined ? undefined : this.#open.get(id)
    if (id !== undefined) this.#open.delete(id)
    if (entry.notSent === true)
      return opened === undefined ? [] : [{ kind: 'withdrawn', at, request: opened }]
    if (opened !== undefined) return [{ kind: 'end', at, request: opened, entry }]
    const request = this.#requestOf(entry)
    return [
      { kind: 'start', at: start, request },
      { kind: 'end', at, request, entry },
    ]
  }

  #requestOf(entry: RequestEntry): LoggedRequest {
    return {
      ...{ entry, file: this.#file.name, process: this.#process },
      limits: this.#limits.get(entry.limits ?? 0),
      robots: this.#robotsOf(entry.robots),
    }
  }

  #robotsOf(id: number | undefined): RobotsVersion | 'unknown' | undefined {
    return id === undefined ? undefined : (this.#robots.get(id) ?? 'unknown')
  }
}
