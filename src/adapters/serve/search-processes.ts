import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Clock } from '../../base/clock.ts'
import type { PagePreview, SearchAnswer } from './answers.ts'
import {
  type DocumentRequest,
  SearchBusy,
  SearchFailed,
  type SearchRequest,
  SearchTooSlow,
  type SearchView,
} from './search-view.ts'

export interface SearchProcessesOptions {
  /** The program that searches; `answerSearches` is its main loop, `directory` its argument. */
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

/** What a process sends back. */
export type SearchReply = { readonly result: unknown } | { readonly failure: string }

/**
 * Searches in child processes. node:sqlite cannot interrupt a query, and a worker thread that is terminated goes on until SQLite returns; a process can be
 * killed, and its query with it. No more queries run than there are processes: a slow one is dead before another starts in its place.
 */
export class SearchProcesses implements SearchView {
  readonly #clock: Clock
  readonly #options: Required<SearchProcessesOptions>
  readonly #idle: Searcher[] = []
  readonly #all = new Set<Searcher>()
  readonly #waiting: Question[] = []
  #cancelIdle: (() => void) | undefined

  constructor(clock: Clock, options: SearchProcessesOptions) {
    this.#clock = clock
    this.#options = { timeoutMs: 10_000, processes: 2, ...options }
  }

  search(request: SearchRequest): Promise<SearchAnswer> {
    return this.#ask<SearchAnswer>({ name: 'search', request })
  }

  document(request: DocumentRequest): Promise<PagePreview | undefined> {
    return this.#ask<PagePreview | undefined>({ name: 'document', request })
  }

  async close(): Promise<void> {
    this.#cancelIdle?.()
    for (const { reject } of this.#waiting.splice(0)) reject(new SearchFailed('The server is stopping.'))
    await Promise.all([...this.#all].map(kill))
  }

  async #ask<T>(message: SearchMessage): Promise<T> {
    if (this.#waiting.length >= MAX_WAITING)
      throw new SearchBusy('Too many searches are under way. Try again in a moment.')
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const question: Question = { message, resolve, reject, timedOut: new AbortController() }
    const cancel = this.#clock.after(this.#options.timeoutMs, () => question.timedOut.abort())
    question.timedOut.signal.addEventListener('abort', () => this.#expire(question))
    this.#waiting.push(question)
    this.#next()
    return (await promise.finally(cancel)) as T
  }

  /** Rejects a question that still waits for a process; one that is being answered ends with its process. */
  #expire(question: Question): void {
    const at = this.#waiting.indexOf(question)
    if (at === -1) return
    this.#waiting.splice(at, 1)
    question.reject(this.#tooSlow())
  }

  #next(): void {
    if (this.#waiting.length === 0 || (this.#idle.length === 0 && this.#all.size >= this.#options.processes))
      return
    this.#cancelIdle?.()
    const question = this.#waiting.shift()
    const searcher = this.#idle.pop() ?? this.#start()
    if (question !== undefined) void this.#answer(searcher, question).finally(() => this.#next())
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
    // It could not be started, or not be reached.
    child.on('error', forget)
    return searcher
  }

  async #answer(searcher: Searcher, { message, resolve, reject, timedOut }: Question): Promise<void> {
    const { child, ended } = searcher
    try {
      const replied = once(child, 'message', { signal: AbortSignal.any([timedOut.signal, ended]) })
      child.send(message)
      const [reply] = (await replied) as [SearchReply]
      this.#idle.push(searcher)
      this.#cancelIdle?.()
      this.#cancelIdle = this.#clock.after(IDLE_MS, () => void this.#idle.splice(0).map(kill))
      if ('failure' in reply) reject(new SearchFailed(reply.failure))
      else resolve(reply.result)
    } catch {
      // Dead before its end is reported, so that no more queries run than processes are allowed.
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
      `The index did not answer within ${this.#options.timeoutMs / 1000} seconds. Search for something more particular.`,
    )
  }
}

interface Searcher {
  readonly child: ChildProcess
  /** Aborted when the process has ended. */
  readonly ended: AbortSignal
}

interface Question {
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
