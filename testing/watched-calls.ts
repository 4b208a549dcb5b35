import { steadyClock } from '../src/base/clock.ts'
import { processWatchdog } from '../src/flows/spider/call-watchdog.ts'
import { TimeLimit } from '../src/flows/spider/time-limit.ts'

// A program for the test of `CallWatchdog`, which works in the main thread of a process: calls functions until the watchdog runs, then
// functions that loop, and prints what became of them.

const LIMIT_MS = 400
const limit = new TimeLimit(steadyClock, LIMIT_MS)
const seen: string[] = []
const loop = (): never => {
  for (;;);
}

// Without the inspector it never runs.
for (let n = 0; processWatchdog(LIMIT_MS) === undefined && n < 5_000; n++) await limit.call(() => n)

const results = await Promise.allSettled([
  limit.call(() => 'before'),
  limit.call(() => {
    setImmediate(() => seen.push('immediate'))
    setTimeout(() => seen.push('timer'), 0)
    process.nextTick(() => seen.push('tick'))
    queueMicrotask(() => seen.push('microtask'))
    return loop()
  }),
  limit.call(() => 'after'),
  limit.call(() => {
    throw new Error('no')
  }),
  limit.call(() => {
    for (;;) {
      try {
        loop()
      } catch {
        seen.push('caught')
      }
    }
  }),
  limit.call(() => limit.call(() => 'inner')),
  new TimeLimit(steadyClock, 10 * LIMIT_MS).call(() => 'other limit'),
  limit.run(async () => 'async'),
])

const order: number[] = []
await Promise.all(Array.from({ length: 100 }, (_, n) => limit.call(() => order.push(n))))

// A port passes on messages that arrive during a message: others must have their turn between calls that take long.
const turns: string[] = []
const busy = (): void => {
  for (const until = performance.now() + 11; performance.now() < until; );
  turns.push('call')
  setImmediate(() => turns.push('other'))
}
await Promise.all([limit.call(busy), limit.call(busy), limit.call(busy)])

process.stdout.write(
  JSON.stringify({
    results: results.map((result) =>
      result.status === 'fulfilled' ? result.value : (result.reason as Error).name,
    ),
    seen: seen.sort(),
    isWatched: processWatchdog(LIMIT_MS) !== undefined,
    isOrdered: order.every((n, i) => n === i),
    turns,
  }),
)
