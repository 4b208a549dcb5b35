import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Clock } from '../../base/clock.ts'
import type { PagePreview, SearchResponse } from './responses.ts'
import {
  type DocumentRequest,
  type SearchApi,
  SearchBusy,
  SearchFailed,
  type SearchRequest,
  SearchTooSlow,
} from './serve-ports.ts'

export interface SearchProcessesOptions {
  /** The program of the child process; `directory` is its argument. */
  readonly filename: string
  readonly directory: string
  /** Maximum time from request to response; then the process is killed. @default 10000 */
  readonly timeoutMs?: number
  /** Maximum number of concurrent searches. @default 2 */
  readonly processes?: number
}

/** A request as it is sent to a process. */
export interface SearchMessage {
  readonly name: 'search' | 'document'
  readonly request: unknown
}

/** The response of a process. */
export type SearchProcessResponse = { readonly result: unknown } | { readonly failure: string }

/**
 * Searches in child processes. node:sqlite cannot interrupt a query, and a terminated worker thread runs until SQLite returns; a process can be killed with its
 * query. No more queries run than there are processes: a slow one has exited before its replacement starts.
 */
export class SearchProcesses implements SearchApi {
  readonly #clock: Clock
  readonly #options: Required<SearchProcessesOptions>
  readonly #idle: Searcher[] = []
  readonly #all = new Set<Searcher>()
  readonly #waiting: PendingSearch[] = []
  #cancelIdle: (() => void) | undefined

  constructor(clock: Clock, options: SearchProcessesOptions) {
    this.#clock = clock
    this.#options = { timeoutMs: 10_000, processes: 2, ...options }
  }

  search(request: SearchRequest): Promise<SearchResponse> {
    return this.#send<SearchResponse>({ name: 'search', request })
  }

  document(request: DocumentRequest): Promise<PagePreview | undefined> {
    return this.#send<PagePreview | undefined>({ name: 'document', request })
  }

  async close(): Promise<void> {
    this.#cancelIdle?.()
    for (const { reject } of this.#waiting.splice(0)) reject(new SearchFailed('The server is stopping.'))
    await Promise.all([...this.#all].map(kill))
  }

  async #send<T>(message: SearchMessage): Promise<T> {
    if (this.#waiting.length >= MAX_WAITING)
      throw new SearchBusy('Too many searches are running. Try again in a moment.')
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const pending: PendingSearch = { message, resolve, reject, timedOut: new AbortController() }
    const cancel = this.#clock.after(this.#options.timeoutMs, () => pending.timedOut.abort())
    pending.timedOut.signal.addEventListener('abort', () => this.#expire(pending))
    this.#waiting.push(pending)
    this.#next()
    return (await promise.finally(cancel)) as T
  }

  /** Rejects a search that is still waiting for a process; a running one ends with its process. */
  #expire(pending: PendingSearch): void {
    const at = this.#waiting.indexOf(pending)
    if (at === -1) return
    this.#waiting.splice(at, 1)
    pending.reject(this.#tooSlow())
  }

  #next(): void {
    if (this.#waiting.length === 0 || (this.#idle.length === 0 && this.#all.size >= this.#options.processes))
      return
    this.#cancelIdle?.()
    const pending = this.#waiting.shift()
    const searcher = this.#idle.pop() ?? this.#start()
    if (pending !== undefined) void this.#run(searcher, pending).finally(() => this.#next())
  }

  #start(): Searcher {
    const { filename, directory } = this.#options
    const child = fork(filename, [directory], { execArgv: [], serialization: 'advanced' })
    const ended = new AbortController()
    const searcher: Searcher = { child, ended: ended.signal }
    this.#all.add(searcher)
    const forget = () => {
      ended.abort()
      this.#all.delete(searcher)
      const at = this.#idle.indexOf(searcher)
      if (at !== -1) this.#idle.splice(at, 1)
    }
    child.once('exit', forget)
    // It could not be started, or a message could not be sent.
    child.on('error', forget)
    return searcher
  }

  async #run(searcher: Searcher, { message, resolve, reject, timedOut }: PendingSearch): Promise<void> {
    const { child, ended } = searcher
    try {
      const responded = once(child, 'message', { signal: AbortSignal.any([timedOut.signal, ended]) })
      child.send(message)
      const [response] = (await responded) as [SearchProcessResponse]
      this.#idle.push(searcher)
      this.#cancelIdle?.()
      this.#cancelIdle = this.#clock.after(IDLE_MS, () => void this.#idle.splice(0).map(kill))
      if ('failure' in response) reject(new SearchFailed(response.failure))
      else resolve(response.result)
    } catch {
      // Wait for its exit, so that no more queries run than processes are allowed.
      await kill(searcher)
      reject(
        timedOut.signal.aborted
          ? this.#tooSlow()
          : new SearchFailed('The search process ended unexpectedly. Try again.'),
      )
    }
  }

  #tooSlow(): SearchTooSlow {
    return new SearchTooSlow(
      `The search took longer than ${this.#options.timeoutMs / 1000} seconds and was stopped. Use a more specific query.`,
    )
  }
}

interface Searcher {
  readonly child: ChildProcess
  /** Aborted when the process has ended. */
  readonly ended: AbortSignal
}

interface PendingSearch {
  readonly message: SearchMessage
  readonly resolve: (result: unknown) => void
  readonly reject: (error: Error) => void
  readonly timedOut: AbortController
}

async function kill({ child, ended }: Searcher): Promise<void> {
  if (ended.aborted) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

const MAX_WAITING = 32
const IDLE_MS = 60_000
