import type { CrawlRequest } from '../../domain/frontier/crawl-request.ts'
import type { LeasedRequest } from '../../domain/frontier/frontier.ts'
import type { Settlement } from '../../domain/frontier/settlement.ts'
import { fingerprint64 } from '../../domain/url/fingerprint.ts'
import type { HandedOver } from './redis-frontier.ts'
import { arrivalOf } from './settle-calls.ts'

/**
 * Names requests with `dontFilter` that go to another shard, which does not know them by their fingerprint. A request that is handed over again, because a
 * worker was lost before its own shard knew, has the same mark.
 */
export class HandoverMarks {
  readonly #identity: string
  #count = 0

  /** @param identity of this process */
  constructor(identity: string) {
    this.#identity = identity
  }

  /** One that no shard had before. */
  ofNew(request: CrawlRequest): HandedOver {
    return { request, mark: `${this.#identity}:${++this.#count}` }
  }

  /** One that was leased from a shard which does not have its host. Without a page that it was found on, it is from a start message. */
  ofStray({ id, request }: LeasedRequest, shard: number): HandedOver {
    const mark = `${shard}:${arrivalOf(id)}:${textMark(request)}`
    return { request, mark, isPushed: request.from === undefined }
  }

  /** Those of a page. The next attempt on the page hands them over anew. */
  ofLinks(
    { id, end }: Settlement,
    links: readonly CrawlRequest[],
    { shard, attempt }: { readonly shard: number; readonly attempt: number },
  ): HandedOver[] {
    // A request that is requeued was not sent, so that it is no attempt; then the lease tells.
    const page = end.kind === 'requeue' ? id : `${shard}:${arrivalOf(id)}:${attempt}`
    const counts = new Map<string, number>()
    return links.map((request) => {
      if (request.dontFilter !== true) return { request, mark: '' }
      const text = textMark(request)
      const n = (counts.get(text) ?? 0) + 1
      counts.set(text, n)
      return { request, mark: `${page}:${text}:${n}` }
    })
  }
}

function textMark(request: CrawlRequest): string {
  return fingerprint64(JSON.stringify(request)).toString(36)
}
