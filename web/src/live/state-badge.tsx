import type { LiveState } from '../../../src/domain/live/live-report.ts'
import type { StatusKind } from '../parts/status-badge.tsx'

/**
 * `connecting`: no message of the server was received yet.
 * `ended`: it ran when this page was opened, and does not run now.
 */
export type CrawlState = LiveState | 'connecting' | 'not-running' | 'ended'

const STATES: Readonly<Record<CrawlState, readonly [text: string, kind: StatusKind, sentence: string]>> = {
  connecting: ['Connecting', 'waiting', 'Connecting to the server.'],
  running: ['Running', 'good', 'The crawl is running.'],
  paused: ['Paused', 'moved', 'The crawl is paused.'],
  stopping: ['Stopping', 'moved', 'The crawl is stopping: requests in flight are finished.'],
  finished: ['Finished', 'double', 'The crawl has finished.'],
  ended: ['Ended', 'waiting', 'The crawl has ended.'],
  'not-running': ['Not running', 'waiting', 'The crawl is not running.'],
}

export function StateBadge({ state }: { readonly state: CrawlState }) {
  const [text, kind] = STATES[state]
  return (
    <span class={`badge state-badge ${kind}`}>
      <span class={`state-dot ${state === 'running' ? 'beating' : ''}`} aria-hidden="true" />
      {text}
    </span>
  )
}

/** Read by screen readers when the state changes. */
export function stateSentence(state: CrawlState): string {
  return STATES[state][2]
}
