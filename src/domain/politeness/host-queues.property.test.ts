import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Clock } from '../../base/clock.ts'
import type { HostOptions } from './host-options.ts'
import type { HostOutcome } from './host-outcome.ts'
import { type Expelled, HostQueues } from './host-queues.ts'
import type { Taken } from './ticket.ts'

// For any order of calls the queues must behave like the model below: plain lists that are scanned at every step. It stores only facts
// (when each response ended, which delays were requested) and derives everything else from them.

const KEYS = ['a', 'b', 'c', 'fast', 'wide', 'nutch']
const OPTIONS = {
  delayMs: 1_000,
  minDelayMs: 200,
  backoffMs: 1_500,
  maxFailures: 3,
  parkMs: 20_000,
  maxDelayMs: 15_000,
  latencyFactor: 2,
}
const KEEP_STATE_MS = 30_000
/** While its robots.txt may be in parsing. */
const ROBOTS_PARSE_MS = 30_000
const MAX_ITEMS = 12
const OVERRIDES: Readonly<Record<string, HostOptions>> = {
  fast: { delayMs: 0 },
  wide: { maxInFlight: 3 },
  nutch: { maxInFlight: 3, delayMs: 0 },
}
/** From the end of a response, and from start to start. */
const GAPS: Readonly<Record<string, readonly [endMs: number, startMs: number]>> = {
  fast: [0, 0],
  wide: [OPTIONS.minDelayMs, OPTIONS.delayMs],
  nutch: [OPTIONS.minDelayMs, 0],
}

class HostModel {
  endGapMs = 0
  startGapMs = 0
  readonly widest: number
  readonly #key: string
  /** Whether its limits were replaced: then a request that was not sent still counts as a start. */
  #isReplaced = false
  waiting: Array<{ item: number; priority: number; arrival: number }> = []
  inFlight = 0
  endedAt = Number.NEGATIVE_INFINITY
  /** The start of each request, except those that were not sent. */
  starts: number[] = []
  /** All times before which it must not be requested. */
  notBefore: number[]
  failures = 0
  crawlDelayMs = 0
  latencyMs = 0
  parkedUntil = Number.NEGATIVE_INFINITY
  readySince: number | undefined

  constructor(key: string, now: number) {
    this.#key = key
    this.#setGaps(undefined)
    this.widest = OVERRIDES[key]?.maxInFlight ?? 1
    this.notBefore = [now]
  }

  get maxDelayMs(): number {
    return Math.max(OPTIONS.maxDelayMs, this.endGapMs, this.startGapMs)
  }

  /** The delay that the host demands, whatever an operator sets. */
  get demandedMs(): number {
    const backoff = this.failures > 0 ? OPTIONS.backoffMs * 2 ** (this.failures - 1) : 0
    const own = Math.min(this.maxDelayMs, Math.max(backoff, OPTIONS.latencyFactor * this.latencyMs))
    return Math.max(this.crawlDelayMs, own)
  }

  get readyAt(): number {
    const starts = this.starts.map((start) => start + this.startGapMs)
    return Math.max(...this.notBefore, ...starts, this.endedAt + this.endGapMs)
  }

  /** No gap follows a request that was not sent. What is known of the earlier starts: each was at least one gap before it. */
  unsend(startedAt: number): void {
    if (this.#isReplaced) return
    const isLast = startedAt === Math.max(...this.starts)
    this.starts.splice(this.starts.indexOf(startedAt), 1)
    if (isLast) this.starts.push(startedAt - this.startGapMs)
  }

  operate(delayMs: number | undefined): void {
    this.#isReplaced = true
    this.#setGaps(delayMs)
  }

  #setGaps(delayMs: number | undefined): void {
    const [endMs, startMs] = GAPS[this.#key] ?? [OPTIONS.delayMs, 0]
    const isWide = OVERRIDES[this.#key]?.maxInFlight !== undefined
    this.endGapMs = isWide ? endMs : (delayMs ?? endMs)
    this.startGapMs = isWide ? (delayMs ?? startMs) : startMs
  }

  get limit(): number {
    return this.failures > 0 || this.crawlDelayMs > 0 ? 1 : this.widest
  }

  get forgetAt(): number {
    const learned = this.failures > 0 || this.crawlDelayMs > 0
    return Math.max(this.readyAt, this.parkedUntil) + (learned ? KEEP_STATE_MS : 0) + ROBOTS_PARSE_MS
  }

  isOpen(now: number): boolean {
    return this.parkedUntil <= now && this.waiting.length > 0 && this.inFlight < this.limit
  }

  delay(until: number, now: number): void {
    this.notBefore.push(until)
    const latest = Math.max(...this.notBefore)
    if (latest - now > this.maxDelayMs) this.parkedUntil = Math.max(this.parkedUntil, latest)
  }

  end(outcome: HostOutcome, now: number, startedAt: number): void {
    if (outcome.kind === 'not-sent') {
      this.unsend(startedAt)
      return
    }
    if (outcome.kind !== 'unknown' && outcome.responseMs !== undefined)
      this.latencyMs =
        this.latencyMs === 0 ? outcome.responseMs : this.latencyMs + (outcome.responseMs - this.latencyMs) / 4
    if (outcome.kind === 'success') this.failures = Math.floor(this.failures / 2)
    if (outcome.kind === 'failure' || outcome.kind === 'rate-limited') {
      this.failures++
      if (this.failures >= OPTIONS.maxFailures)
        this.parkedUntil = Math.max(this.parkedUntil, now + OPTIONS.parkMs)
    }
    this.endedAt = now
    this.delay(now + this.demandedMs, now)
    if (outcome.kind === 'rate-limited' && outcome.retryAt !== undefined) this.delay(outcome.retryAt, now)
  }
}

/** The queues and the model with one clock. */
class Trial {
  time = 1_800_000_000_000
  readonly clock: Clock = { now: () => this.time, after: () => expect.fail('it set a timer') }
  readonly queues = new HostQueues<number>(this.clock, {
    ...OPTIONS,
    overrides: (key) => OVERRIDES[key],
    maxItems: MAX_ITEMS,
    keepStateMs: KEEP_STATE_MS,
  })
  readonly hosts = new Map<string, HostModel>()
  readonly operatorDelays = new Map<string, number>()
  readonly out: Taken<number>[] = []
  readonly startOf = new Map<Taken<number>, number>()
  readonly unaccounted = new Set<number>()
  #latest = 0
  #arrivals = 0

  /** The latest time: a clock that went back does not count. */
  get now(): number {
    this.#latest = Math.max(this.#latest, this.time)
    return this.#latest
  }

  host(key: string): HostModel {
    const known = this.hosts.get(key)
    const idle = known !== undefined && known.waiting.length === 0 && known.inFlight === 0
    if (known !== undefined && !(idle && known.forgetAt <= this.now)) return known
    const fresh = new HostModel(key, this.now)
    this.hosts.set(key, fresh)
    const delayMs = this.operatorDelays.get(key)
    if (delayMs !== undefined) fresh.operate(delayMs)
    return fresh
  }

  get queued(): number {
    return [...this.hosts.values()].reduce((sum, host) => sum + host.waiting.length, 0)
  }

  add(key: string, priority: number): void {
    const item = this.#arrivals
    const added = this.queues.add(key, item, priority)
    if (this.queued + this.out.length >= MAX_ITEMS) expect(added).toEqual({ ok: false, reason: 'full' })
    else if (this.host(key).parkedUntil > this.now)
      expect(added).toMatchObject({ ok: false, reason: 'parked', until: this.host(key).parkedUntil })
    else {
      expect(added).toEqual({ ok: true })
      this.#queue(this.host(key), item, priority)
      this.unaccounted.add(item)
    }
  }

  #queue(host: HostModel, item: number, priority: number): void {
    host.waiting.push({ item, priority, arrival: this.#arrivals++ })
    host.waiting.sort((a, b) => b.priority - a.priority || a.arrival - b.arrival)
  }

  take(): void {
    const { now } = this
    const open = [...this.hosts.values()].filter((host) => host.isOpen(now))
    const ready = open.filter((host) => host.readyAt <= now)
    const taken = this.queues.take()
    if (taken.kind === 'wait') {
      expect(ready).toEqual([])
      expect(taken.until).toBe(open.length > 0 ? Math.min(...open.map((host) => host.readyAt)) : undefined)
      return
    }
    const host = this.host(taken.key)
    // The guarantees, from the stored facts: the delay after the last response, all requested delays, the limit, parking.
    expect(now).toBeGreaterThanOrEqual(host.endedAt + Math.max(host.endGapMs, host.demandedMs))
    expect(now).toBeGreaterThanOrEqual(host.readyAt)
    expect(host.inFlight).toBeLessThan(host.limit)
    expect(now).toBeGreaterThanOrEqual(host.parkedUntil)
    expect(host.readySince).toBe(Math.min(...ready.map((other) => other.readySince ?? Number.NaN)))
    expect(taken.item).toBe(host.waiting.shift()?.item)
    host.inFlight++
    host.readySince = undefined
    host.starts.push(now)
    this.startOf.set(taken, now)
    this.out.push(taken)
  }

  /** A request that was taken some time ago is sent now, if no other one of its host started or ended meanwhile, and no delay was demanded. */
  send(pick: number): void {
    const taken = this.out[pick % Math.max(1, this.out.length)]
    if (taken === undefined) return
    const { now } = this
    const host = this.host(taken.key)
    const startedAt = this.startOf.get(taken) ?? Number.NaN
    const isLast = startedAt === Math.max(...host.starts)
    const readyAt = isLast ? Math.max(...host.notBefore, host.endedAt + host.endGapMs) : host.readyAt
    const mayBeSent = readyAt <= now && host.parkedUntil <= now
    expect(this.queues.start(taken)).toBe(mayBeSent ? now : undefined)
    if (!mayBeSent) return
    host.starts.splice(host.starts.indexOf(startedAt), 1, now)
    this.startOf.set(taken, now)
  }

  /** Waits until the returned time: there is an item then, but not one millisecond before. */
  sleep(): void {
    const early = this.queues.take()
    if (early.kind === 'taken') {
      this.queues.requeue(early)
      this.#requeueInModel(early)
    } else if (early.until !== undefined) {
      const before = this.out.length
      this.time = early.until - 1
      expect(this.queues.take().kind).toBe('wait')
      this.time = early.until
      this.take()
      expect(this.out.length).toBe(before + 1)
    }
  }

  #requeueInModel(taken: Taken<number>): void {
    const host = this.host(taken.key)
    host.waiting = host.waiting.filter(({ item }) => item !== taken.item)
    host.readySince = undefined
    host.starts.push(this.now)
    host.unsend(this.now)
    this.#queue(host, taken.item, taken.priority)
  }

  end(pick: number, outcome: HostOutcome, back: boolean): void {
    const taken = this.out[pick % Math.max(1, this.out.length)]
    if (taken === undefined) return
    this.out.splice(this.out.indexOf(taken), 1)
    const host = this.host(taken.key)
    const expelled = back ? this.queues.requeue(taken, outcome) : this.queues.release(taken, outcome)
    host.inFlight--
    host.end(outcome, this.now, this.startOf.get(taken) ?? Number.NaN)
    if (back) this.#queue(host, taken.item, taken.priority)
    else this.unaccounted.delete(taken.item)
    this.parkedOnesAreEmpty(expelled)
    expect(() => this.queues.release(taken, outcome)).toThrow(/released twice|no such item/)
  }

  change(key: string, model: (host: HostModel) => void, act: () => Expelled<number> | undefined): void {
    model(this.host(key))
    this.parkedOnesAreEmpty(act())
  }

  /** The delay stays until it is replaced, also when the state of the host is deleted. */
  operate(key: string, delayMs: number | undefined): void {
    if (delayMs === undefined) this.operatorDelays.delete(key)
    else this.operatorDelays.set(key, delayMs)
    // The model may have a host without items that the queues never had.
    if (this.queues.has(key)) this.hosts.get(key)?.operate(delayMs)
    else this.hosts.delete(key)
    this.parkedOnesAreEmpty(this.queues.setOperatorDelay(key, delayMs))
  }

  parkedOnesAreEmpty(expelled: Expelled<number> | undefined): void {
    const parked = [...this.hosts].find(([, host]) => host.parkedUntil > this.now && host.waiting.length > 0)
    if (parked === undefined) expect(expelled).toBeUndefined()
    else this.left(parked[0], expelled)
  }

  left(key: string, expelled: Expelled<number> | undefined): void {
    const { waiting } = this.host(key)
    if (waiting.length === 0) expect(expelled).toBeUndefined()
    else {
      expect(expelled).toMatchObject({ key, items: waiting.map(({ item }) => item) })
      expect(expelled?.reason).not.toBe('')
    }
    for (const { item } of waiting) this.unaccounted.delete(item)
    this.host(key).waiting = []
  }

  /** After every step: the counts are right and no item is lost. */
  check(): void {
    const { now } = this
    for (const host of this.hosts.values())
      host.readySince = host.isOpen(now)
        ? Math.max(Math.min(host.readySince ?? now, now), host.readyAt)
        : undefined
    const hosts = [...this.hosts.values()]
    expect(this.queues.counts()).toMatchObject({
      queued: this.queued,
      inFlight: this.out.length,
      delayed: hosts.filter((host) => host.isOpen(now) && host.readyAt > now).length,
      parked: hosts.filter((host) => host.parkedUntil > now).length,
      queues: hosts.filter((host) => host.parkedUntil <= now && host.waiting.length + host.inFlight > 0)
        .length,
    })
    expect(this.unaccounted.size).toBe(this.queued + this.out.length)
  }
}

type Step = (trial: Trial) => void

const key = fc.constantFrom(...KEYS)
const ms = fc.oneof(fc.constantFrom(0, 1, 200, 1_000, 1_500), fc.integer({ min: 0, max: 20_000 }))
const outcome: fc.Arbitrary<(now: number) => HostOutcome> = fc.oneof(
  fc.integer({ min: 0, max: 2_000 }).map((responseMs) => () => ({ kind: 'success' as const, responseMs })),
  fc.constant(() => ({ kind: 'failure' as const })),
  fc.constant(() => ({ kind: 'unknown' as const })),
  fc.constant(() => ({ kind: 'not-sent' as const })),
  ms.map((delay) => (now: number) => ({ kind: 'rate-limited' as const, retryAt: now + delay - 1_000 })),
)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(key, fc.integer({ min: -1, max: 1 })).map(
      ([k, p]) =>
        (t: Trial) =>
          t.add(k, p),
    ),
  },
  { weight: 8, arbitrary: fc.constant((t: Trial) => t.take()) },
  { weight: 3, arbitrary: fc.constant((t: Trial) => t.sleep()) },
  { weight: 3, arbitrary: fc.nat().map((pick) => (t: Trial) => t.send(pick)) },
  {
    weight: 6,
    arbitrary: fc.tuple(fc.nat(), outcome, fc.boolean()).map(([pick, end, back]) => (t: Trial) => {
      t.end(pick, end(t.now), back)
    }),
  },
  {
    weight: 5,
    arbitrary: ms.map((by) => (t: Trial) => {
      t.time += by
    }),
  },
  {
    weight: 1,
    arbitrary: ms.map((by) => (t: Trial) => {
      t.time -= by
    }),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(key, ms).map(([k, delay]) => (t: Trial) => {
      const until = t.now + delay
      t.change(
        k,
        (host) => host.delay(until, t.now),
        () => t.queues.delayUntil(k, until),
      )
    }),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(key, ms).map(([k, delay]) => (t: Trial) => {
      const learn = (host: HostModel) => {
        host.crawlDelayMs = delay
        host.delay(host.endedAt + host.demandedMs, t.now)
      }
      t.change(k, learn, () => t.queues.setCrawlDelay(k, delay))
    }),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(key, ms).map(([k, delay]) => (t: Trial) => {
      const until = t.now + delay
      const park = (host: HostModel) => {
        host.parkedUntil = Math.max(host.parkedUntil, until)
      }
      t.change(k, park, () => t.queues.park(k, until, 'on request'))
    }),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(key, fc.option(ms, { nil: undefined })).map(
      ([k, delayMs]) =>
        (t: Trial) =>
          t.operate(k, delayMs),
    ),
  },
  { weight: 1, arbitrary: key.map((k) => (t: Trial) => t.left(k, t.queues.drain(k, 'no more'))) },
  {
    weight: 1,
    arbitrary: fc.constant((t: Trial) => {
      const expelled = t.queues.drainAll('time is up')
      for (const k of t.hosts.keys())
        t.left(
          k,
          expelled.find((one) => one.key === k),
        )
    }),
  },
)

it('behaves like the model for any order of calls', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 120, size: 'max' }), (steps) => {
      const trial = new Trial()
      for (const go of steps) {
        go(trial)
        trial.check()
      }
    }),
    { numRuns: 150 },
  )
})
