import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { formatExactTime, formatShortRelativeTime } from './format.ts'

/** The time of the server (ms since the epoch), which may differ from that of the browser. */
export const Now = createContext(0)

export function useNow(): number {
  return useContext(Now)
}

/** `4 s ago`, `in 3 min`, with the exact time on hover. */
export function RelativeTime({ at, past }: { readonly at: number; readonly past?: string }) {
  const now = useNow()
  return (
    <time dateTime={isoTime(at)} title={formatExactTime(at)}>
      {past !== undefined && at <= now ? past : formatShortRelativeTime(at, now)}
    </time>
  )
}

/** Reports come from another process: a time that is not a date must not break the page. */
function isoTime(at: number): string | undefined {
  return Math.abs(at) <= 8.64e15 ? new Date(at).toISOString() : undefined
}
