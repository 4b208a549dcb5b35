import type { HostStatistics } from '../../../src/adapters/serve/responses.ts'
import type { BarPart } from '../charts/stacked-bar.tsx'
import { StackedBar } from '../charts/stacked-bar.tsx'
import { formatNumber, formatRelativeTime, formatTime } from '../parts/format.ts'
import { PlaceLink } from '../parts/links.tsx'
import { placeOf } from '../parts/location.ts'

export function HostTable({ hosts }: { readonly hosts: readonly HostStatistics[] }) {
  return (
    <div class="scroll">
      <table class="list">
        <thead>
          <tr>
            <th scope="col">Host</th>
            <th scope="col" class="number">
              URLs
            </th>
            <th scope="col" class="shares">
              Status
            </th>
            <th scope="col" class="number">
              Due
            </th>
            <th scope="col" class="optional">
              Last fetch
            </th>
          </tr>
        </thead>
        <tbody>
          {hosts.map((host) => (
            <tr key={host.host}>
              <td>
                <PlaceLink to={placeOf('/host', { host: host.host })}>{host.host}</PlaceLink>
              </td>
              <td class="number">{formatNumber(host.urls)}</td>
              <td class="shares">
                <StackedBar
                  parts={hostParts(host)}
                  label={hostParts(host)
                    .map(({ label, count: n }) => `${formatNumber(n)} ${label}`)
                    .join(', ')}
                />
              </td>
              <td class="number">{formatNumber(host.due)}</td>
              <td class="optional">
                {host.lastFetchTime === undefined ? (
                  'never'
                ) : (
                  <time title={formatTime(host.lastFetchTime)}>{formatRelativeTime(host.lastFetchTime)}</time>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

export function hostParts({ fetched, redirected, gone, unfetched }: HostStatistics): BarPart[] {
  return [
    { kind: 'good', label: 'fetched', count: fetched },
    { kind: 'moved', label: 'redirected', count: redirected },
    { kind: 'gone', label: 'gone', count: gone },
    { kind: 'waiting', label: 'not fetched', count: unfetched },
  ]
}
