import type { UrlReport } from '../../../src/adapters/serve/responses.ts'
import { formatBytes, formatDuration, formatTime } from '../parts/format.ts'
import { UrlLink } from '../parts/links.tsx'
import { StatusBadge } from '../parts/status-badge.tsx'

/** The segments with this URL, each with the result of its fetch. */
export function FetchesPanel({ report: { fetches } }: { readonly report: UrlReport }) {
  return (
    <section class="panel wide" aria-labelledby="fetches">
      <h2 id="fetches">Fetches</h2>
      {fetches.length === 0 && <p class="quiet">This URL is not in any segment.</p>}
      <ol class="timeline">
        {fetches.map(({ segment, fetch }) => (
          <li key={segment}>
            {fetch === undefined ? (
              <p>
                on the fetch list, not fetched yet <span class="quiet">segment {segment}</span>
              </p>
            ) : (
              <>
                <p>
                  <time>{formatTime(fetch.fetchedAt)}</time> <StatusBadge status={fetch.status} />{' '}
                  <span class="quiet">
                    {[
                      fetch.protocolStatus,
                      fetch.httpStatus !== undefined && `HTTP ${fetch.httpStatus}`,
                      fetch.contentType,
                      fetch.bytes !== undefined && formatBytes(fetch.bytes),
                      fetch.responseMs !== undefined && formatDuration(fetch.responseMs),
                      fetch.address,
                      `segment ${segment}`,
                    ]
                      .filter(Boolean)
                      .join(' · ')}
                  </span>
                </p>
                {fetch.redirectTo !== undefined && (
                  <p>
                    redirects to <UrlLink url={fetch.redirectTo} />
                  </p>
                )}
                {fetch.reason !== undefined && fetch.reason !== `HTTP ${fetch.httpStatus}` && (
                  <p class="reason">{fetch.reason}</p>
                )}
                {fetch.retryAt !== undefined && <p class="quiet">retry after {formatTime(fetch.retryAt)}</p>}
              </>
            )}
          </li>
        ))}
      </ol>
    </section>
  )
}
