import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { LiveProcess } from '../domain/live/live-report.ts'

/** Measures this process. Each call returns the figures since the call before; `close` ends the measurement. */
export function openProcessFigures(): { read(): LiveProcess; close(): void } {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delays.enable()
  let cpu = process.cpuUsage()
  let at = performance.now()
  return {
    read() {
      const now = performance.now()
      const { user, system } = process.cpuUsage(cpu)
      const seconds = Math.max(1e-3, (now - at) / 1_000)
      cpu = process.cpuUsage()
      at = now
      const { rss, heapUsed } = process.memoryUsage()
      const figures = {
        rssBytes: rss,
        heapUsedBytes: heapUsed,
        eventLoopDelayMs: {
          median: delayMs(delays.percentile(50)),
          p99: delayMs(delays.percentile(99)),
          max: delayMs(delays.max),
        },
        cpuSeconds: (cpu.user + cpu.system) / 1e6,
        cpuCores: (user + system) / 1e6 / seconds,
      }
      delays.reset()
      return figures
    },
    close: () => void delays.disable(),
  }
}

const RESOLUTION_MS = 50

/** The histogram has the time between two timers, in nanoseconds. Without a measurement it has 0, or a huge minimum. */
function delayMs(nanoseconds: number): number {
  const ms = Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS)
  return Number.isFinite(ms) ? Math.round(ms * 10) / 10 : 0
}
