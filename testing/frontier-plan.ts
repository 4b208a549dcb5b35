import fc from 'fast-check'
import { expect } from 'vitest'
import type { CrawlRequest } from '../src/domain/frontier/crawl-request.ts'
import type { DeadLetters } from '../src/domain/frontier/dead-letters.ts'
import type { Frontier, FrontierOrder } from '../src/domain/frontier/frontier.ts'
import type { ItemLog } from '../src/domain/frontier/item-log.ts'
import type { RequestEnd, Settlement } from '../src/domain/frontier/settlement.ts'
import type { FakeClock } from './fake-clock.ts'
import { FrontierModel } from './frontier-model.ts'

/** A new, empty frontier with its logs. */
export interface OpenFrontier {
  readonly frontier: Frontier
  readonly items: ItemLog
  readonly deadLetters: DeadLetters
  /** Opens it again, as a new process would. Absent: its content is lost with the process. */
  readonly reopen?: () => Promise<OpenFrontier>
  close(): Promise<void>
}

/** One call of a frontier, or an event between two calls. */
export type FrontierStep =
  | { readonly kind: 'add'; readonly requests: readonly PlannedRequest[]; readonly complete: boolean }
  | { readonly kind: 'lease'; readonly requests: number; readonly perHost: number }
  | { readonly kind: 'settle'; readonly settlements: readonly PlannedSettlement[] }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'retry-failed'; readonly limit: number }
  | { readonly kind: 'restart' }

interface PlannedRequest {
  readonly host: number
  readonly page: number
  readonly priority: number
  readonly dontFilter: boolean
  readonly delayMs: number
}

interface PlannedSettlement {
  /** Of the leases, counted round; `-1` is none. */
  readonly which: number
  readonly end: RequestEnd['kind']
  readonly delayMs: number
  readonly requests: readonly PlannedRequest[]
  readonly items: number
}

const delayMs = fc.constantFrom(0, 0, 0, 500, 1000)
// Few URLs, so that many repeat.
const requests = fc.array(
  fc.record({
    host: fc.nat(3),
    page: fc.nat(6),
    priority: fc.integer({ min: -1, max: 1 }),
    dontFilter: fc.constantFrom(false, false, false, true),
    delayMs,
  }),
  { maxLength: 8 },
)
const settlements = fc.array(
  fc.record({
    which: fc.integer({ min: -1, max: 10 }),
    end: fc.constantFrom<RequestEnd['kind']>('done', 'done', 'retry', 'requeue', 'failed'),
    delayMs,
    requests,
    items: fc.nat(2),
  }),
  { maxLength: 4 },
)

export const frontierSteps: fc.Arbitrary<FrontierStep[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('add'), requests, complete: fc.boolean() }) },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('lease'),
        requests: fc.nat(8),
        perHost: fc.integer({ min: 1, max: 4 }),
      }),
    },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('settle'), settlements }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('wait'), ms: fc.constantFrom(1, 500, 1000) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('retry-failed'), limit: fc.nat(3) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart') }) },
  ) as fc.Arbitrary<FrontierStep>,
  { maxLength: 25 },
)

/**
 * Runs the steps with a frontier and with the model, and expects equal results. Returns the pending requests at the end.
 * @param sharded whether the order over several hosts is open: pages are then settled one by one, and all failures are retried
 */
export async function runFrontierPlan(
  first: OpenFrontier,
  order: FrontierOrder,
  steps: readonly FrontierStep[],
  clock: FakeClock,
  sharded = false,
): Promise<OpenFrontier> {
  const model = new FrontierModel(order, { isFair: !sharded })
  let opened = first
  for (const step of steps) {
    const { frontier, deadLetters } = opened
    switch (step.kind) {
      case 'add': {
        const added = step.requests.map((planned) => requestOf(planned, clock))
        if (step.complete) model.startsComplete = true
        expect(await frontier.add(added, step.complete ? 'complete' : undefined)).toEqual(model.add(added))
        break
      }
      case 'lease': {
        const wish = { requests: step.requests, perHost: step.perHost, now: clock.now() }
        model.lease(wish, await frontier.lease(wish))
        break
      }
      case 'settle': {
        const settled = step.settlements.map((planned, i) => settlementOf(planned, i, model.leasedIds, clock))
        for (const some of sharded ? settled.map((one) => [one]) : [settled])
          expect(await frontier.settle(some)).toMatchObject(model.settle(some))
        break
      }
      case 'wait':
        clock.advance(step.ms)
        break
      case 'retry-failed':
        if (sharded) expect(await deadLetters.retryFailed()).toBe(model.retryFailed(model.failed.length))
        else expect(await deadLetters.retryFailed({ limit: step.limit })).toBe(model.retryFailed(step.limit))
        break
      case 'restart':
        if (opened.reopen === undefined) break
        opened = await opened.reopen()
        model.restart()
    }
    expect(await opened.frontier.pending(clock.now())).toEqual(model.pending(clock.now()))
  }
  const items = (await opened.items.items(0, 1000)).map(({ item }) => item)
  const rejected = (await opened.items.rejected(0, 1000)).map(({ item }) => item)
  const failed = await opened.deadLetters.failed()
  const ordered = <T>(list: readonly T[]) => (sharded ? list.toSorted(byText) : list)
  expect(ordered(items)).toEqual(ordered(model.items))
  expect(ordered(rejected)).toEqual(ordered(model.rejected))
  const asModel = failed.map(({ request, attempts, code }) => ({ request, attempts, code }))
  expect(ordered(asModel)).toEqual(ordered(model.failed))
  return opened
}

function byText(a: unknown, b: unknown): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1
}

function requestOf(
  { host, page, priority, dontFilter, delayMs: delay }: PlannedRequest,
  clock: FakeClock,
): CrawlRequest {
  return {
    url: `http://h${host}.test/${page}`,
    handler: 'parse',
    depth: 0,
    ...(priority !== 0 && { priority }),
    ...(dontFilter && { dontFilter }),
    ...(delay > 0 && { notBefore: clock.now() + delay }),
  }
}

function settlementOf(
  { which, end, delayMs: delay, requests: planned, items }: PlannedSettlement,
  i: number,
  leasedIds: readonly string[],
  clock: FakeClock,
): Settlement {
  const at = clock.now() + delay
  const ends = {
    done: { kind: 'done' },
    retry: { kind: 'retry', at, reason: 'busy' },
    requeue: { kind: 'requeue', ...(delay > 0 && { at }) },
    failed: { kind: 'failed', code: 'http-500', reason: 'HTTP 500' },
  } as const
  return {
    id: which === -1 ? 'none' : (leasedIds[which % leasedIds.length] ?? 'none'),
    end: ends[end],
    requests: planned.map((request) => requestOf(request, clock)),
    items: Array.from({ length: items }, (_, n) => ({ i, n })),
    rejected: items === 2 ? [{ item: { i }, reason: 'one too many' }] : [],
  }
}
