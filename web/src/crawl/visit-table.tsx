import type { HostReport } from '../../../src/adapters/serve/answers.ts'
import { duration, moment } from '../parts/shown.ts'
import { StatusBadge } from '../parts/status-badge.tsx'
import { UrlLink } from '../parts/url-link.tsx'

export function VisitTable({ visits }: { readonly visits: HostReport['recent'] }) {
  return (
    <div class="scroll">
      <table class="list by-url">
        <thead>
          <tr>
            <th scope="col" class="optional">
              When
            </th>
            <th scope="col">URL</th>
            <th scope="col">Outcome</th>
            <th scope="col" class="number">
              Took
            </th>
          </tr>
        </thead>
        <tbody>
          {visits.map(({ url, status, fetchedAt, httpStatus, responseMs, reason }) => (
            <tr key={`${fetchedAt} ${url}`}>
              <td class="when optional">{moment(fetchedAt)}</td>
              <td class="url-cell">
                <UrlLink url={url} />
                {reason !== undefined && reason !== `HTTP ${httpStatus}` && <p class="reason">{reason}</p>}
              </td>
              <td>
                <StatusBadge status={status} /> {httpStatus}
              </td>
              <td class="number">{responseMs === undefined ? '' : duration(responseMs)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
