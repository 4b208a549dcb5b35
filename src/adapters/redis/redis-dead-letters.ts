import type { DeadLetters, FailedRequest, FailureChoice } from '../../domain/frontier/dead-letters.ts'
import { hostOf } from '../../domain/url/host-of.ts'
import type { Job } from './job.ts'
import { SCRIPTS } from './redis-scripts.ts'
import { isRecord, isRequest, numberIn, parseJson, requestArguments } from './stored-request.ts'
import { LOST, type WorkerSession } from './worker-session.ts'

/** The requests that failed for good, and what could not be read as a request. */
export class RedisDeadLetters implements DeadLetters {
  readonly #job: Job
  readonly #session: WorkerSession
  readonly #keyOf: (url: string) => string

  constructor(job: Job, session: WorkerSession, keyOf: (url: string) => string) {
    this.#job = job
    this.#session = session
    this.#keyOf = keyOf
  }

  async failed(choice: FailureChoice = {}): Promise<readonly FailedRequest[]> {
    const failed: FailedRequest[] = []
    for await (const { letter } of this.#letters(choice)) failed.push(letter)
    return failed
  }

  async retryFailed(choice: FailureChoice = {}): Promise<number> {
    const chosen: string[][] = []
    for await (const { n, letter } of this.#letters(choice)) {
      const { request } = letter
      const again = { ...request, dontFilter: true, notBefore: 0 }
      const [, due = '', score = '', host = ''] = requestArguments(again, this.#keyOf(request.url))
      chosen.push([n, '', due, score, host, JSON.stringify(request)])
    }
    let retried = 0
    for (let i = 0; i < chosen.length; i += PAGE) {
      const reply = await this.#untilNotLost(chosen.slice(i, i + PAGE).flat())
      retried += Number(reply)
    }
    return retried
  }

  /** Stored values that are not requests, unchanged. */
  async malformed(limit: number): Promise<readonly string[]> {
    return (await this.#job.run(SCRIPTS.readMalformed, {}, [String(limit)])) as string[]
  }

  async *#letters(choice: FailureChoice): AsyncGenerator<{ n: string; letter: FailedRequest }> {
    let left = choice.limit ?? Number.POSITIVE_INFINITY
    for (let after = '0'; left > 0; ) {
      const page = (await this.#job.run(SCRIPTS.readDead, {}, [after, String(PAGE)])) as string[]
      for (let i = 0; i < page.length && left > 0; i += 2) {
        const [json = '', n = ''] = page.slice(i, i + 2)
        after = n
        const letter = readLetter(json)
        if (letter === undefined || !isChosen(letter, choice)) continue
        left--
        yield { n, letter }
      }
      if (page.length < PAGE * 2) return
    }
  }

  async #untilNotLost(args: readonly string[]): Promise<unknown> {
    for (;;) {
      const reply = await this.#session.call(SCRIPTS.retryFailed, args)
      if (reply !== LOST) return reply
    }
  }
}

const PAGE = 500

/** The dead letter in `json`; `undefined` if it is not one. Any program with access to Redis may have written it. */
export function readLetter(json: string): FailedRequest | undefined {
  const value = parseJson(json)
  if (!isRecord(value)) return undefined
  const { request, attempts, failedAt, code, reason, stack } = value
  if (!isRequest(request) || typeof code !== 'string' || typeof reason !== 'string') return undefined
  return {
    request,
    attempts: numberIn(attempts),
    failedAt: numberIn(failedAt),
    ...{ code, reason },
    ...(typeof stack === 'string' && { stack }),
  }
}

function isChosen({ request, code }: FailedRequest, choice: FailureChoice): boolean {
  if (choice.code !== undefined && choice.code !== code) return false
  if (choice.url !== undefined && choice.url !== request.url) return false
  return choice.host === undefined || choice.host === hostOf(request.url)
}
