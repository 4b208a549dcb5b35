import type { Clock } from '../../base/clock.ts'
import { LruMap } from '../../base/lru-map.ts'
import { fingerprint64 } from '../../domain/url/fingerprint.ts'
import type { WebProxy } from './proxy.ts'

/** What changed, for the operator. Labels have no user and no password. */
export type ProxyEvent =
  | { readonly kind: 'suspended'; readonly proxy: string; readonly reason: string; readonly seconds: number }
  /** No proxy can be reached: requests wait. */
  | { readonly kind: 'all-down'; readonly proxies: number; readonly reason: string }
  /** `wasDown`: no proxy could be reached before. */
  | { readonly kind: 'back'; readonly proxy: string; readonly wasDown: boolean }
  /** A host blocked the proxies of its tier. */
  | { readonly kind: 'escalated'; readonly host: string; readonly tier: number }

/** `direct`: no proxy serves the host. `undefined`: none of those that do can be used now. */
export type ProxyChoice = WebProxy | 'direct' | undefined

const FIRST_PAUSE_MS = 5_000
const MAX_PAUSE_MS = 60_000
/** A proxy is suspended when so many hosts in a row cannot be reached through it, and there is another one. */
const MAX_DOUBTS = 10
/** Blocks of a host in a row until it gets the next tier, and how long it keeps that. */
const BLOCKS_PER_TIER = 2
const TIER_MS = 3_600_000
const MAX_HOSTS = 10_000

interface Health {
  readonly proxy: WebProxy
  failures: number
  /** ms since the epoch. */
  suspendedUntil: number
  /** Hosts in a row that could not be reached through it. */
  readonly doubts: Set<string>
}

interface HostTier {
  tier: number
  blocks: number
  until: number
}

/**
 * Chooses the proxy of each request. A host, or a session, keeps its proxy while that works: the choice is a weighted rendezvous hash, so that
 * all processes of a fleet choose the same one, and when a proxy fails only its own hosts move.
 */
export class ProxyPool {
  readonly #clock: Clock
  readonly #healths: readonly Health[]
  readonly #tiers: readonly number[]
  readonly #hosts = new LruMap<string, HostTier>(MAX_HOSTS)
  readonly #onEvent: (event: ProxyEvent) => void
  #isDown = false
  #workedAt: number | undefined

  constructor(proxies: readonly WebProxy[], clock: Clock, onEvent: (event: ProxyEvent) => void) {
    this.#clock = clock
    this.#onEvent = onEvent
    this.#healths = proxies.map((proxy) => ({ proxy, failures: 0, suspendedUntil: 0, doubts: new Set() }))
    this.#tiers = [...new Set(proxies.map(({ tier }) => tier))].toSorted((a, b) => a - b)
  }

  get proxies(): readonly WebProxy[] {
    return this.#healths.map(({ proxy }) => proxy)
  }

  /** When a request last went through a proxy (ms since the epoch); `undefined`: none ever did. */
  get workedAt(): number | undefined {
    return this.#workedAt
  }

  /** Whether requests wait because no proxy can be reached. */
  get isDown(): boolean {
    return this.#isDown
  }

  /** When the first suspended proxy may be tried again (ms since the epoch). */
  get nextTryAt(): number {
    return smallest(this.#healths.map(({ suspendedUntil }) => suspendedUntil))
  }

  /**
   * @param key of the host or session that keeps its proxy
   * @param tried proxies that failed for this request
   */
  choose(host: string, key: string, tried?: ReadonlySet<WebProxy>): ProxyChoice {
    const serving = this.#healths.filter(({ proxy }) => proxy.serves(host))
    if (serving.length === 0) return 'direct'
    const now = this.#clock.now()
    // Before the first success, a suspension says little: the next request may be the one that works.
    const usable = serving.filter(
      ({ proxy, suspendedUntil }) =>
        tried?.has(proxy) !== true && (this.#workedAt === undefined || suspendedUntil <= now),
    )
    const wanted = this.#tierOf(host, now)
    const tiers = usable.map(({ proxy }) => proxy.tier)
    // The cheapest tier that the host has not blocked; without one, the best of the others.
    const tier = smallest(tiers.filter((one) => one >= wanted))
    const chosen = Number.isFinite(tier) ? tier : -smallest(tiers.map((one) => -one))
    return heaviest(
      usable.flatMap(({ proxy }) => (proxy.tier === chosen ? [proxy] : [])),
      key,
    )
  }

  /** A response came through the proxy. @param isBlock whether it shows that the host blocks this client */
  succeeded(proxy: WebProxy, host: string, isBlock: boolean): void {
    const health = this.#healthOf(proxy)
    if (health === undefined) return
    this.#workedAt = this.#clock.now()
    this.recovered(proxy)
    if (isBlock) this.#blocked(proxy, host)
    else {
      const state = this.#hosts.get(host)
      if (state !== undefined) state.blocks = 0
    }
  }

  /** The host could not be reached through the proxy; both may be the reason. */
  doubted(proxy: WebProxy, host: string): void {
    const health = this.#healthOf(proxy)
    if (health === undefined) return
    const now = this.#clock.now()
    const isOnly = this.#healths.every((other) => other === health || other.suspendedUntil > now)
    if (isOnly) return
    health.doubts.add(host)
    if (health.doubts.size >= MAX_DOUBTS) this.failed(proxy, `${health.doubts.size} hosts in a row failed`)
  }

  /** The proxy itself failed: it is suspended, for longer each time. */
  failed(proxy: WebProxy, reason: string): void {
    const health = this.#healthOf(proxy)
    if (health === undefined) return
    const now = this.#clock.now()
    health.doubts.clear()
    // Requests that were sent together fail together.
    if (health.suspendedUntil > now) return
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** health.failures++, MAX_PAUSE_MS)
    health.suspendedUntil = now + pauseMs
    this.#onEvent({ kind: 'suspended', proxy: proxy.label, reason, seconds: pauseMs / 1000 })
    if (this.#isDown || this.#workedAt === undefined || this.nextTryAt <= now) return
    this.#isDown = true
    this.#onEvent({ kind: 'all-down', proxies: this.#healths.length, reason })
  }

  /** The proxy accepts connections. */
  recovered(proxy: WebProxy): void {
    const health = this.#healthOf(proxy)
    if (health === undefined) return
    health.doubts.clear()
    if (health.failures === 0) return
    health.failures = 0
    health.suspendedUntil = 0
    const wasDown = this.#isDown
    this.#isDown = false
    this.#onEvent({ kind: 'back', proxy: proxy.label, wasDown })
  }

  #blocked(proxy: WebProxy, host: string): void {
    const next = this.#tiers.find((tier) => tier > proxy.tier)
    if (next === undefined) return
    const now = this.#clock.now()
    const state = this.#hosts.get(host) ?? { tier: proxy.tier, blocks: 0, until: 0 }
    this.#hosts.set(host, state)
    if (++state.blocks < BLOCKS_PER_TIER) return
    Object.assign(state, { tier: next, blocks: 0, until: now + TIER_MS })
    this.#onEvent({ kind: 'escalated', host, tier: next })
  }

  #tierOf(host: string, now: number): number {
    const state = this.#hosts.get(host)
    return state === undefined || state.until <= now ? Number.NEGATIVE_INFINITY : state.tier
  }

  #healthOf(proxy: WebProxy): Health | undefined {
    return this.#healths.find((health) => health.proxy === proxy)
  }
}

/** Weighted rendezvous hashing: each proxy gets hosts in proportion to its weight. */
function heaviest(proxies: readonly WebProxy[], key: string): WebProxy | undefined {
  if (proxies.length < 2) return proxies[0]
  let best: WebProxy | undefined
  let most = Number.NEGATIVE_INFINITY
  for (const proxy of proxies) {
    const { name = '' } = proxy.user ?? {}
    // In (0, 1): 53 bits are what a number holds.
    const hash = Number(BigInt.asUintN(53, fingerprint64(`${key}\n${name}@${proxy.label}`)))
    const share = -proxy.weight / Math.log((hash + 0.5) / 2 ** 53)
    if (share > most) [best, most] = [proxy, share]
  }
  return best
}

function smallest(numbers: readonly number[]): number {
  return numbers.reduce((least, one) => Math.min(least, one), Number.POSITIVE_INFINITY)
}
