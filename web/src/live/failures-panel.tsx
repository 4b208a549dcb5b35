import { useState } from 'preact/hooks'
import type { CrawlSummary } from '../../../src/adapters/serve/responses.ts'
import type { LiveFailure, LiveReport } from '../../../src/domain/live/live-report.ts'
import { formatCount } from '../parts/format.ts'
import { PlaceLink, WebLink } from '../parts/links.tsx'
import { placeOf } from '../parts/location.ts'
import { RelativeTime } from '../parts/now.tsx'
import { cutEnd, cutMiddle, safeText } from '../parts/safe-text.ts'
import { outcomeName } from './outcome-names.ts'
import type { Actions } from './use-actions.ts'

interface FailuresPanelProps {
  readonly report: LiveReport
  readonly entry: CrawlSummary
  readonly actions: Actions
}

const FEW = 8

/** The latest failures with their reasons. */
export function FailuresPanel({ report, entry, actions }: FailuresPanelProps) {
  const [isOpen, setOpen] = useState(false)
  const { failures } = report
  const canRetry = actions.can('retry-failed')
  const hasReports = entry.capabilities.includes('reports')
  return (
    <section class="panel wide" aria-labelledby="failures">
      <h2 id="failures">Latest failures</h2>
      {failures.length === 0 ? (
        <p class="quiet">No request has failed.</p>
      ) : (
        <div class="scroll">
          <table class="list by-url">
            <thead>
              <tr>
                <th scope="col">Time</th>
                <th scope="col">URL</th>
                <th scope="col">Outcome</th>
                <th scope="col">Next attempt</th>
                {canRetry && (
                  <th scope="col">
                    <span class="visually-hidden">Retry</span>
                  </th>
                )}
              </tr>
            </thead>
            <tbody>
              {failures.slice(0, isOpen ? failures.length : FEW).map((failure) => (
                <FailureRow
                  key={`${failure.at} ${failure.url}`}
                  {...{ failure, hasReports, canRetry, actions }}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {failures.length > FEW && (
        <button type="button" class="link-button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Show fewer' : `Show all ${formatCount(failures.length, 'failure')}`}
        </button>
      )}
    </section>
  )
}

interface FailureRowProps {
  readonly failure: LiveFailure
  readonly hasReports: boolean
  readonly canRetry: boolean
  readonly actions: Actions
}

function FailureRow({ failure, hasReports, canRetry, actions }: FailureRowProps) {
  const { at, url, code, reason, retryAt } = failure
  const [label, kind] = outcomeName(code)
  const text = cutMiddle(safeText(url), 160)
  return (
    <tr>
      <td class="when">
        <RelativeTime at={at} />
      </td>
      <td class="url-cell">
        {hasReports ? (
          <PlaceLink to={placeOf('/url', { url })} class="url-link" title={cutEnd(safeText(url), 2_000)}>
            {text}
          </PlaceLink>
        ) : (
          <WebLink url={url} class="url-link">
            {text}
          </WebLink>
        )}
        <p class="reason">{safeText(cutEnd(reason, 500))}</p>
      </td>
      <td>
        <span class={`badge ${kind}`} title={safeText(cutEnd(code, 100))}>
          {cutEnd(safeText(label), 40)}
        </span>
      </td>
      <td class="when">
        {retryAt === undefined ? (
          <span class="quiet">not planned</span>
        ) : (
          <RelativeTime at={retryAt} past="now" />
        )}
      </td>
      {canRetry && (
        <td class="row-action">
          <RetryButton url={url} actions={actions} />
        </td>
      )}
    </tr>
  )
}

function RetryButton({ url, actions }: { readonly url: string; readonly actions: Actions }) {
  const [isSent, setSent] = useState(false)
  if (isSent) return <span class="quiet">queued</span>
  return (
    <button
      type="button"
      class="small-button"
      aria-label={`Retry ${cutMiddle(safeText(url), 100)}`}
      disabled={actions.isBusy}
      onClick={async () => {
        const { ok } = await actions.send({ action: 'retry-failed', url })
        setSent(ok)
      }}
    >
      Retry
    </button>
  )
}
