import { useEffect, useState } from 'preact/hooks'
import type { Refusal } from '../../../src/adapters/serve/answers.ts'

/** An answer of the API on its way. While a new one comes the last one stays in `value`, so that nothing flickers. */
export interface Asked<T> {
  readonly value?: T
  readonly loading: boolean
  /** Why there is none. */
  readonly problem?: string
}

/** Asks the API for what stands at `place`; nothing while it is `undefined`. @param everyMs asks again and again, while the page is looked at */
export function useAnswer<T>(place: string | undefined, everyMs?: number): Asked<T> {
  const [asked, setAsked] = useState<Asked<T>>({ loading: place !== undefined })
  useEffect(() => {
    if (place === undefined) {
      setAsked({ loading: false })
      return
    }
    const abort = new AbortController()
    const load = () =>
      ask<T>(place, abort.signal).then(
        (value) => setAsked({ value, loading: false }),
        (error: unknown) => {
          if (!abort.signal.aborted) setAsked({ loading: false, problem: String((error as Error).message) })
        },
      )
    setAsked(({ value }) => ({ loading: true, ...(value !== undefined && { value }) }))
    void load()
    const timer =
      everyMs === undefined ? undefined : setInterval(() => document.hidden || void load(), everyMs)
    return () => {
      abort.abort()
      clearInterval(timer)
    }
  }, [place, everyMs])
  return asked
}

async function ask<T>(place: string, signal: AbortSignal): Promise<T> {
  const answer = await fetch(place, { signal }).catch((error: unknown) => {
    throw signal.aborted ? error : new Error('The server does not answer. Is orbweaver serve still running?')
  })
  const document = (await answer.json()) as T | Refusal
  if (!answer.ok) throw new Error((document as Refusal).error.message)
  return document as T
}
