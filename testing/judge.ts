import type { Clock } from '../src/base/clock.ts'
import type { Hit, HitEvent } from './judge/hit.ts'
import { type HostLimits, hostViolations } from './judge/limits.ts'
import { type HostVerdict, hostVerdict } from './judge/verdict.ts'

/** Properties of a hit that are known at its end. */
export type HitEnd = Partial<Pick<Hit, 'status' | 'brokenOff' | 'waitMs'>>

export interface Limits extends HostLimits {
  /** Limits of hosts that have their own, such as a Crawl-delay; they win over the common ones. */
  readonly perHost?: Readonly<Record<string, Partial<HostLimits>>>
}

/**
 * Watches a crawl from the servers' side and says afterwards whether it was polite.
 *
 * It has no false positives: `end` is taken before the last byte leaves and `start` after the request has arrived,
 * so a gap seen here is never shorter than the one the client kept, and two requests seen overlapping did overlap. The one exception
 * is a response the client broke off, which a server notices late; `hangUpToleranceMs` is for those.
 */
export class Judge {
  readonly #clock: Clock
  readonly #events: HitEvent[] = []
  /** Hits in progress, so that one from before a `reset()` cannot end after it. */
  readonly #open = new Set<Hit>()
  readonly #disallowed = new Map<string, string[]>()

  /** The clock should be a steady one. */
  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Every hit, in the order of their starts. */
  get hits(): readonly Hit[] {
    return this.#events.filter((event) => event.kind === 'start').map((event) => event.hit)
  }

  /** A request has arrived. The server must call `ended()` once with the returned hit. */
  started(request: Pick<Hit, 'host' | 'address' | 'path' | 'method' | 'userAgent'>): Hit {
    const at = this.#clock.now()
    const hit: Hit = { ...request, start: at, end: undefined, status: 0, brokenOff: false, waitMs: 0 }
    this.#events.push({ kind: 'start', at, hit })
    this.#open.add(hit)
    return hit
  }

  /** The response is over. Only the first call counts, so that a server may call it again when the socket closes. */
  ended(hit: Hit, end: HitEnd = {}): void {
    if (!this.#open.delete(hit)) return
    const at = this.#clock.now()
    Object.assign(hit, end, { end: at })
    this.#events.push({ kind: 'end', at, hit })
  }

  /** Declares that paths of `host` that start with `pathPrefix` are disallowed. */
  disallow(host: string, pathPrefix: string): void {
    this.#disallowed.set(host, [...(this.#disallowed.get(host) ?? []), pathPrefix])
  }

  /** A verdict per host, or per another key (`by`), such as the address. */
  verdicts(by: (hit: Hit) => string = (hit) => hit.host): Map<string, HostVerdict> {
    const verdicts = new Map<string, HostVerdict>()
    for (const [key, events] of Map.groupBy(this.#events, (event) => by(event.hit)))
      verdicts.set(
        key,
        hostVerdict(events, (hit) => this.#isDisallowed(hit)),
      )
    return verdicts
  }

  /** A sentence per violation; empty for a polite crawl. */
  violations(limits: Limits, by?: (hit: Hit) => string): string[] {
    const { perHost = {}, ...common } = limits
    return [...this.verdicts(by)].flatMap(([host, verdict]) =>
      hostViolations(host, verdict, { ...common, ...perHost[host] }),
    )
  }

  /** Forgets the hits, not the rules. */
  reset(): void {
    this.#events.length = 0
    this.#open.clear()
  }

  #isDisallowed(hit: Hit): boolean {
    return this.#disallowed.get(hit.host)?.some((prefix) => hit.path.startsWith(prefix)) ?? false
  }
}
