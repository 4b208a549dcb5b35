/**
 * Loaded into a process before all else (`node --import`): how long its main thread let others wait, from its first connection to its end, as a last line of output.
 * The delay is looked at every 10 ms, which the histogram counts as part of it.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

const LOOK_MS = 10
const FIRST_CONNECTION = 'net.client.socket'

if (isMainThread) {
  const delays = monitorEventLoopDelay({ resolution: LOOK_MS })
  const begin = () => {
    unsubscribe(FIRST_CONNECTION, begin)
    delays.enable()
  }
  subscribe(FIRST_CONNECTION, begin)
  process.once('exit', () => {
    const ms = (nanoseconds) => Math.max(0, nanoseconds / 1e6 - LOOK_MS)
    console.log(
      JSON.stringify({
        p50Ms: ms(delays.percentile(50)),
        p99Ms: ms(delays.percentile(99)),
        maxMs: ms(delays.max),
      }),
    )
  })
}
