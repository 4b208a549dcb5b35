import { useState } from 'preact/hooks'
import type { ErrorResponse, ServeAccess } from '../../../src/adapters/serve/responses.ts'
import type { LiveAction, LiveActionName, LiveActionResult } from '../../../src/domain/live/live-report.ts'
import { placeOf } from '../parts/location.ts'

/** The actions that this browser may send to a crawl. */
export interface Actions {
  can(name: LiveActionName): boolean
  send(action: LiveAction): Promise<LiveActionResult>
  /** An action has been sent and has no result yet. */
  readonly isBusy: boolean
  /** Of the latest action. */
  readonly result?: LiveActionResult
}

interface ActionOptions {
  /** `undefined` until it is known. */
  readonly access: ServeAccess | undefined
  /** What the crawl supports; empty if it does not run. */
  readonly supported: readonly LiveActionName[]
}

export function useActions(crawl: string | undefined, { access, supported }: ActionOptions): Actions {
  const [state, setState] = useState<{ isBusy: boolean; result?: LiveActionResult }>({ isBusy: false })
  return {
    ...state,
    can: (name) => access?.mayAct === true && supported.includes(name),
    async send(action) {
      setState({ isBusy: true })
      const result = await post(crawl, access, action)
      setState({ isBusy: false, result })
      return result
    },
  }
}

async function post(
  crawl: string | undefined,
  access: ServeAccess | undefined,
  action: LiveAction,
): Promise<LiveActionResult> {
  if (access?.csrfToken === undefined) return { ok: false, message: 'This page may not change the crawl.' }
  try {
    const response = await fetch(placeOf('/api/live/actions', { crawl }), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-orbweaver-csrf': access.csrfToken },
      body: JSON.stringify(action),
    })
    const document = (await response.json()) as LiveActionResult | ErrorResponse
    return 'error' in document ? { ok: false, message: document.error.message } : document
  } catch {
    return { ok: false, message: 'The server cannot be reached. The action may not have been received.' }
  }
}
