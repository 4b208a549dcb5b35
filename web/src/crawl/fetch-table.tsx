import type { HostReport } from '../../../src/adapters/serve/responses.ts'
import { formatDuration, formatTime } from '../parts/format.ts'
import { UrlLink } from '../parts/links.tsx'
import { StatusBadge } from '../parts/status-badge.tsx'

export function FetchTable({ fetches }: { readonly fetches: HostReport['recent'] }) {
  return (
    <div class="scroll">
      <table class="list by-url">
        <thead>
          <tr>
            <th scope="col" class="optional">
              Time
            </th>
            <th scope="col">URL</th>
            <th scope="col">Status</th>
            <th scope="col" class="number">
              Duration
            </th>
          </tr>
        </thead>
        <tbody>
          {fetches.map(({ url, status, fetchedAt, httpStatus, responseMs, reason }) => (
            <tr key={`${fetchedAt} ${url}`}>
              <td class="when optional">{formatTime(fetchedAt)}</td>
              <td class="url-cell">
                <UrlLink url={url} />
                {reason !== undefined && reason !== `HTTP ${httpStatus}` && <p class="reason">{reason}</p>}
              </td>
              <td>
                <StatusBadge status={status} /> {httpStatus}
              </td>
              <td class="number">{responseMs === undefined ? '' : formatDuration(responseMs)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
