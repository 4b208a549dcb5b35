import type { HostFigures } from '../../../src/adapters/serve/answers.ts'
import { StackedBar } from '../charts/stacked-bar.tsx'
import { placeOf } from '../parts/location.ts'
import { PlaceLink } from '../parts/place-link.tsx'
import { count, fromNow, moment } from '../parts/shown.ts'
import { hostParts } from './host-parts.ts'

export function HostTable({ hosts }: { readonly hosts: readonly HostFigures[] }) {
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
              Last visit
            </th>
          </tr>
        </thead>
        <tbody>
          {hosts.map((host) => (
            <tr key={host.host}>
              <td>
                <PlaceLink to={placeOf('/host', { host: host.host })}>{host.host}</PlaceLink>
              </td>
              <td class="number">{count(host.urls)}</td>
              <td class="shares">
                <StackedBar
                  parts={hostParts(host)}
                  label={hostParts(host)
                    .map(({ label, count: n }) => `${count(n)} ${label}`)
                    .join(', ')}
                />
              </td>
              <td class="number">{count(host.due)}</td>
              <td class="optional">
                {host.lastFetchTime === undefined ? (
                  'never'
                ) : (
                  <time title={moment(host.lastFetchTime)}>{fromNow(host.lastFetchTime)}</time>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
