import { useRef } from 'preact/hooks'
import type { ServeAccess } from '../../../src/adapters/serve/responses.ts'
import type { LiveReport } from '../../../src/domain/live/live-report.ts'
import { safeText } from '../parts/safe-text.ts'
import { useKeys } from '../parts/use-keys.ts'
import { TokenForm } from './token-form.tsx'
import type { Actions } from './use-actions.ts'

interface ActionBarProps {
  readonly report: LiveReport
  readonly actions: Actions
  readonly access: ServeAccess
}

/** The actions on the whole crawl, or why there are none. */
export function ActionBar({ report, actions, access }: ActionBarProps) {
  const stopDialog = useRef<HTMLDialogElement>(null)
  const { can, send, isBusy, result } = actions
  const isPaused = report.state === 'paused'
  const canPause = report.state === 'running' && can('pause')
  const canResume = isPaused && can('resume')
  useKeys({
    x: () => (canPause ? send({ action: 'pause' }) : canResume ? send({ action: 'resume' }) : false),
  })
  if (!access.mayAct)
    return (
      <div class="action-note">
        <p>{whyNot(access)}</p>
        {access.acceptsToken && <TokenForm />}
      </div>
    )
  const canStop = (report.state === 'running' || isPaused) && can('stop')
  return (
    <div class="action-bar">
      {(canPause || canResume) && (
        <button
          type="button"
          class={isPaused ? 'main-button' : ''}
          disabled={isBusy}
          onClick={() => send({ action: isPaused ? 'resume' : 'pause' })}
        >
          {isPaused ? 'Resume' : 'Pause'}
        </button>
      )}
      {can('retry-failed') && (
        <button type="button" disabled={isBusy} onClick={() => send({ action: 'retry-failed' })}>
          Retry failed
        </button>
      )}
      {canStop && (
        <button type="button" class="danger-button" onClick={() => stopDialog.current?.showModal()}>
          Stop
        </button>
      )}
      <p class={`action-result ${result?.ok === false ? 'warning-text' : ''}`} role="status">
        {result === undefined ? '' : safeText(result.message)}
      </p>
      <dialog ref={stopDialog} class="small-dialog" aria-labelledby="stop-title">
        <h2 id="stop-title">Stop this crawl?</h2>
        <p>Requests in flight are finished first. The next run resumes where this one stops.</p>
        <form method="dialog" class="dialog-buttons">
          <button type="submit">Keep it running</button>
          <button type="submit" class="danger-button filled" onClick={() => send({ action: 'stop' })}>
            Stop the crawl
          </button>
        </form>
      </dialog>
    </div>
  )
}

function whyNot({ readOnly, acceptsToken }: ServeAccess): string {
  if (readOnly) return 'Read-only: the server was started with --read-only.'
  if (acceptsToken) return 'To pause, stop or change the crawl, enter the token of the server.'
  return 'Read-only: actions are allowed only from the machine of the server.'
}
