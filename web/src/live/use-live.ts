import { useEffect, useState } from 'preact/hooks'
import type { LiveMessage, LiveSeries } from '../../../src/adapters/serve/responses.ts'
import type { LivePoint, LiveReport } from '../../../src/domain/live/live-report.ts'
import { placeOf } from '../parts/location.ts'
import { addPoint, pointBetween } from './live-points.ts'

/** What the page knows about a crawl. The server sends a message every second. */
export interface LiveData {
  /** `undefined` until the first message is received. */
  readonly state?: LiveMessage['state']
  /** The current report or, after the end, the last one. */
  readonly report?: LiveReport
  /** Why the crawl, which may run, cannot be reached. */
  readonly problem?: string
  readonly points: readonly LivePoint[]
  /** `lost`: the page reconnects by itself. */
  readonly connection: 'connecting' | 'open' | 'lost'
  /** When the last message was received, by the clock of the browser. */
  readonly receivedAt: number
}

const NOTHING: LiveData = { points: [], connection: 'connecting', receivedAt: 0 }

/**
 * Receives the messages of a crawl. A hidden page disconnects: browsers allow few connections to a server, and each open tab would use one.
 * @param crawl its id; `undefined` for the only one
 */
export function useLive(crawl: string | undefined): LiveData {
  const [data, setData] = useState(NOTHING)
  useEffect(() => {
    setData(NOTHING)
    let source: EventSource | undefined
    let retry: ReturnType<typeof setTimeout> | undefined
    let watchdog: ReturnType<typeof setTimeout> | undefined
    let history: AbortController | undefined
    const lose = () => setData((before) => ({ ...before, connection: 'lost' }))
    const close = () => {
      source?.close()
      source = undefined
      clearTimeout(retry)
      clearTimeout(watchdog)
      history?.abort()
      history = undefined
    }
    const reopen = () => {
      close()
      open()
    }
    const open = () => {
      source = new EventSource(placeOf('/api/live', { crawl }))
      source.onmessage = ({ data: text }: MessageEvent<string>) => {
        const message = JSON.parse(text) as LiveMessage
        setData((before) => withMessage(before, message))
        clearTimeout(watchdog)
        if (message.state === 'idle') return
        watchdog = setTimeout(() => {
          lose()
          reopen()
        }, SILENCE_MS)
        if (history === undefined) {
          history = new AbortController()
          void loadSeries(crawl, history.signal).then((points) =>
            setData((before) => withHistory(before, points)),
          )
        }
      }
      source.onerror = () => {
        lose()
        clearTimeout(watchdog)
        // After a response that is not an event stream, the browser does not retry.
        if (source?.readyState === EventSource.CLOSED) retry = setTimeout(reopen, RETRY_MS)
      }
    }
    const onVisibility = () => {
      if (document.hidden) close()
      else if (source === undefined) open()
    }
    document.addEventListener('visibilitychange', onVisibility)
    onVisibility()
    return () => {
      document.removeEventListener('visibilitychange', onVisibility)
      close()
    }
  }, [crawl])
  return data
}

const RETRY_MS = 3_000
/** A running crawl sends a report every second, or after 20 seconds is idle. */
const SILENCE_MS = 30_000

function withMessage(before: LiveData, message: LiveMessage): LiveData {
  const received = { connection: 'open', receivedAt: Date.now() } as const
  if (message.state === 'idle') {
    // The last figures stay when the crawl has ended.
    const { problem: _, ...past } = before
    const { last: report = past.report, ...idle } = message
    return { ...past, ...received, ...idle, ...(report !== undefined && { report }) }
  }
  const { report } = message
  const last = before.report
  const point = last === undefined ? undefined : pointBetween(last, report)
  const points = last !== undefined && last.startedAt !== report.startedAt ? [] : before.points
  return { ...received, ...message, points: point === undefined ? points : addPoint(points, point) }
}

/** The history replaces what the page has seen itself, except what is newer. */
function withHistory(before: LiveData, history: readonly LivePoint[]): LiveData {
  const end = history.at(-1)?.at
  if (end === undefined) return before
  return { ...before, points: [...history, ...before.points.filter(({ at }) => at > end)] }
}

/** Empty if the server has none: the chart then starts now. */
async function loadSeries(crawl: string | undefined, signal: AbortSignal): Promise<readonly LivePoint[]> {
  try {
    const response = await fetch(placeOf('/api/live/series', { crawl }), { signal })
    return response.ok ? ((await response.json()) as LiveSeries).points : []
  } catch {
    return []
  }
}
