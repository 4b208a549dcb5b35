import { queueKey } from '../url/queue-key.ts'
import type { GenerateRequest } from './crawl-db-requests.ts'
import { SegmentFiller } from './fill-segments.ts'

/** The place of a chosen URL. */
export interface ChosenPlace {
  /** From 0. */
  readonly segment: number
  /** URLs with the same key are in the same part of the fetch list. */
  readonly partKey: string
}

/** Chooses the URLs of fetch lists among due URLs, which are given best first. */
export class DueChooser {
  /** For each segment: number of URLs by partition key. */
  readonly segments: Map<string, number>[] = []
  /** Number of given URLs. */
  seen = 0
  /** Number of URLs that the judge rejected. */
  rejects = 0
  readonly #request: GenerateRequest
  readonly #judge: CountingJudge
  readonly #isCapped: boolean
  readonly #filler: SegmentFiller
  readonly #partMode: 'host' | 'domain'

  /** @param maxCounts limits of single hosts, from `hostLimitExpr` */
  constructor(request: GenerateRequest, judge: CountingJudge, maxCounts?: ReadonlyMap<string, number>) {
    this.#request = request
    this.#judge = judge
    this.#isCapped = request.maxCount !== undefined || maxCounts !== undefined
    this.#filler = new SegmentFiller({ ...request, ...(maxCounts !== undefined && { maxCounts }) })
    this.#partMode = request.partition === 'domain' ? 'domain' : 'host'
  }

  /** No more URLs are needed. */
  get full(): boolean {
    return this.#filler.full
  }

  /**
   * The place of the next URL; `undefined`: it is left out because of a limit.
   * @param admits whether another rule lets a URL on the list that the filters accept
   */
  choose(url: string, admits: () => boolean = () => true): ChosenPlace | 'rejected' | undefined {
    this.seen++
    const counted = this.#judge.judge(url)
    if (counted === undefined) {
      this.rejects++
      return 'rejected'
    }
    if (!admits()) return undefined
    const segment = this.#filler.place(queueKey(counted, this.#request.countMode ?? 'host'))
    if (segment === undefined) return undefined
    const partKey = queueKey(url, this.#partMode)
    const sizes = this.segments[segment] ?? new Map<string, number>()
    this.segments[segment] = sizes.set(partKey, (sizes.get(partKey) ?? 0) + 1)
    return { segment, partKey }
  }

  /**
   * Whether the given URLs sufficed.
   * @param size number of URLs that were requested from the database; `undefined`: all
   */
  isSettled(size: number | undefined): boolean {
    // A cap counted URLs that were then rejected: others of the same host, ranked as high, were not handed over.
    const capMisled = this.#isCapped && this.rejects > 0
    return size === undefined || (!capMisled && (this.full || this.seen < size))
  }
}

/**
 * How many URLs to read from the database, look by look: slightly more than needed, with a reserve for rejected ones and for those left
 * out between segments. Each look is four times as large as the one before; after three, all are read (`undefined`).
 */
export function* lookSizes({
  topN = Number.POSITIVE_INFINITY,
  maxNumSegments = 1,
  judge,
}: GenerateRequest): Generator<number | undefined, never> {
  const spare = (judge === undefined ? 0 : 0.1) + (maxNumSegments === 1 ? 0 : 1)
  let size = Math.ceil(topN * maxNumSegments * (1 + spare))
  for (let look = 1; look <= LIMITED_LOOKS && Number.isFinite(size); look++, size *= 4) yield size
  for (;;) yield undefined
}

const LIMITED_LOOKS = 3

/** Counts each rejection once, since rejected URLs are not read again. */
export class CountingJudge {
  readonly reasons = new Map<string, number>()
  readonly #judge: GenerateRequest['judge']

  constructor({ judge }: Pick<GenerateRequest, 'judge'>) {
    this.#judge = judge
  }

  /** The URL whose host counts; `undefined` when it is rejected. */
  judge(url: string): string | undefined {
    const verdict = this.#judge?.(url)
    if (verdict === undefined) return url
    if (verdict.ok) return verdict.url
    this.reasons.set(verdict.reason, (this.reasons.get(verdict.reason) ?? 0) + 1)
    return undefined
  }
}
