import type { LiveProcess } from '../../../src/domain/live/live-report.ts'
import { formatBytes, formatDuration } from '../parts/format.ts'

interface ProcessPanelProps {
  readonly process: LiveProcess
  /** No other panel is next to it. */
  readonly isWide: boolean
}

/** Memory, CPU and event loop of the crawling process. */
export function ProcessPanel({ process, isWide }: ProcessPanelProps) {
  const { rssBytes, heapUsedBytes, eventLoopDelayMs, cpuCores } = process
  const isSlow = eventLoopDelayMs.p99 >= SLOW_MS
  return (
    <section class={`panel ${isWide ? 'wide' : ''}`} aria-labelledby="process">
      <h2 id="process">Process</h2>
      <dl class="figures">
        <div>
          <dt>Memory</dt>
          <dd>{formatBytes(rssBytes)}</dd>
        </div>
        <div>
          <dt>JavaScript heap</dt>
          <dd>{formatBytes(heapUsedBytes)}</dd>
        </div>
        <div>
          <dt>CPU</dt>
          <dd>{cpuCores.toFixed(2)} cores</dd>
        </div>
      </dl>
      <h3>Event-loop delay</h3>
      <dl class="figures">
        <div>
          <dt>Median</dt>
          <dd>{formatDelay(eventLoopDelayMs.median)}</dd>
        </div>
        <div>
          <dt>p99</dt>
          <dd class={isSlow ? 'warning-text' : ''}>{formatDelay(eventLoopDelayMs.p99)}</dd>
        </div>
        <div>
          <dt>Maximum</dt>
          <dd>{formatDelay(eventLoopDelayMs.max)}</dd>
        </div>
      </dl>
      {isSlow && <p class="hint">The process is busy: its CPU limits the rate of the crawl.</p>}
    </section>
  )
}

/** Above this p99, requests wait noticeably for the process. */
const SLOW_MS = 250

/** `0.3 ms`, `12 ms` */
function formatDelay(ms: number): string {
  return ms < 10 ? `${ms.toFixed(1)} ms` : formatDuration(ms)
}
