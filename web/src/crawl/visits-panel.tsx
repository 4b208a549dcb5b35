import type { UrlReport } from '../../../src/adapters/serve/answers.ts'
import { byteCount, duration, moment } from '../parts/shown.ts'
import { StatusBadge } from '../parts/status-badge.tsx'
import { UrlLink } from '../parts/url-link.tsx'

/** Each time it was on a fetch list or asked for. */
export function VisitsPanel({ report: { visits } }: { readonly report: UrlReport }) {
  return (
    <section class="panel wide" aria-labelledby="visits">
      <h2 id="visits">Visits</h2>
      {visits.length === 0 && <p class="quiet">No segment has it.</p>}
      <ol class="timeline">
        {visits.map(({ segment, fetch }) => (
          <li key={segment}>
            {fetch === undefined ? (
              <p>
                listed, not fetched yet <span class="quiet">segment {segment}</span>
              </p>
            ) : (
              <>
                <p>
                  <time>{moment(fetch.fetchedAt)}</time> <StatusBadge status={fetch.status} />{' '}
                  <span class="quiet">
                    {[
                      fetch.protocolStatus,
                      fetch.httpStatus !== undefined && `HTTP ${fetch.httpStatus}`,
                      fetch.contentType,
                      fetch.bytes !== undefined && byteCount(fetch.bytes),
                      fetch.responseMs !== undefined && duration(fetch.responseMs),
                      fetch.address,
                      `segment ${segment}`,
                    ]
                      .filter(Boolean)
                      .join(' · ')}
                  </span>
                </p>
                {fetch.redirectTo !== undefined && (
                  <p>
                    to <UrlLink url={fetch.redirectTo} />
                  </p>
                )}
                {fetch.reason !== undefined && fetch.reason !== `HTTP ${fetch.httpStatus}` && (
                  <p class="reason">{fetch.reason}</p>
                )}
                {fetch.retryAt !== undefined && <p class="quiet">not before {moment(fetch.retryAt)}</p>}
              </>
            )}
          </li>
        ))}
      </ol>
    </section>
  )
}
