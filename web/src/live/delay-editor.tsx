import { useEffect, useRef, useState } from 'preact/hooks'
import type { LiveHost } from '../../../src/domain/live/live-report.ts'
import { formatDuration } from '../parts/format.ts'
import { cutMiddle, safeText } from '../parts/safe-text.ts'
import type { Actions } from './use-actions.ts'

interface DelayEditorProps {
  readonly host: LiveHost
  readonly actions: Actions
  readonly onClose: () => void
}

/** Changes the delay of a host until the end of the run. */
export function DelayEditor({ host, actions, onClose }: DelayEditorProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [problem, setProblem] = useState('')
  useEffect(() => dialog.current?.showModal(), [])
  const set = async (delayMs: number | null) => {
    const { ok, message } = await actions.send({ action: 'set-delay', host: host.host, delayMs })
    if (ok) dialog.current?.close()
    else setProblem(message)
  }
  return (
    <dialog ref={dialog} class="small-dialog" aria-labelledby="delay-title" onClose={onClose}>
      <h2 id="delay-title">Delay of {cutMiddle(safeText(host.host), 60)}</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          const seconds = Number(new FormData(event.currentTarget).get('seconds'))
          void set(Math.round(seconds * 1_000))
        }}
      >
        <label>
          Delay after a response, in seconds
          <input
            name="seconds"
            type="number"
            min="0"
            max="86400"
            step="any"
            required
            // Not `value`: the page is drawn every second, and would undo what the user types.
            defaultValue={String(host.delayMs / 1_000)}
          />
        </label>
        <p class="hint">
          Now {formatDuration(host.delayMs)}. It applies until the end of the run, and never shortens a delay
          that the host requested (robots.txt, Retry-After).
        </p>
        <p class="warning-text" role="alert">
          {safeText(problem)}
        </p>
        <div class="dialog-buttons">
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button type="button" disabled={actions.isBusy} onClick={() => set(null)}>
            Use the configured delay
          </button>
          <button type="submit" class="main-button" disabled={actions.isBusy}>
            Set delay
          </button>
        </div>
      </form>
    </dialog>
  )
}
