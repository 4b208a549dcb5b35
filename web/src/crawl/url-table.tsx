import type { DueUrl } from '../../../src/adapters/serve/responses.ts'
import { formatRelativeTime, formatTime } from '../parts/format.ts'
import { UrlLink } from '../parts/links.tsx'
import { StatusBadge } from '../parts/status-badge.tsx'

export function UrlTable({ urls }: { readonly urls: readonly DueUrl[] }) {
  return (
    <div class="scroll">
      <table class="list by-url">
        <thead>
          <tr>
            <th scope="col">URL</th>
            <th scope="col">Status</th>
            <th scope="col" class="number optional">
              Score
            </th>
            <th scope="col">Due</th>
          </tr>
        </thead>
        <tbody>
          {urls.map(({ url, status, score, fetchTime }) => (
            <tr key={url}>
              <td class="url-cell">
                <UrlLink url={url} />
              </td>
              <td>
                <StatusBadge status={status} />
              </td>
              <td class="number optional">{Number(score.toPrecision(3))}</td>
              <td>
                <time title={formatTime(fetchTime)}>
                  {fetchTime <= Date.now() ? 'now' : formatRelativeTime(fetchTime)}
                </time>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
