import { useEffect, useState } from 'preact/hooks'
import type { ErrorResponse } from '../../../src/adapters/serve/responses.ts'

/** The state of an API request. While a new response is loading, the last one stays in `value`, so that the page does not flicker. */
export interface ApiState<T> {
  readonly value?: T
  readonly loading: boolean
  /** Error message. */
  readonly problem?: string
}

/** Loads `place` from the API; no request if it is `undefined`. @param everyMs repeats the request at this interval while the page is visible */
export function useResponse<T>(place: string | undefined, everyMs?: number): ApiState<T> {
  const [state, setState] = useState<ApiState<T>>({ loading: place !== undefined })
  useEffect(() => {
    if (place === undefined) {
      setState({ loading: false })
      return
    }
    const abort = new AbortController()
    const load = () =>
      request<T>(place, abort.signal).then(
        (value) => setState({ value, loading: false }),
        (error: unknown) => {
          if (!abort.signal.aborted) setState({ loading: false, problem: String((error as Error).message) })
        },
      )
    setState(({ value }) => ({ loading: true, ...(value !== undefined && { value }) }))
    void load()
    const timer =
      everyMs === undefined ? undefined : setInterval(() => document.hidden || void load(), everyMs)
    return () => {
      abort.abort()
      clearInterval(timer)
    }
  }, [place, everyMs])
  return state
}

async function request<T>(place: string, signal: AbortSignal): Promise<T> {
  const response = await fetch(place, { signal }).catch((error: unknown) => {
    throw signal.aborted
      ? error
      : new Error('The server cannot be reached. Is orbweaver serve still running?')
  })
  const document = (await response.json()) as T | ErrorResponse
  if (!response.ok) throw new Error((document as ErrorResponse).error.message)
  return document as T
}

/** Interval between updates of statistics, as a crawl may be running (ms). */
export const REFRESH_MS = 5_000
