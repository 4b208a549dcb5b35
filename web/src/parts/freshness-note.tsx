import type { Freshness } from '../../../src/adapters/serve/responses.ts'
import { formatTime } from './format.ts'

/** Shows which process works on the crawl, and the age of the CrawlDb data. Without such a process, the data is current. */
export function FreshnessNote({ freshness: { asOf, busy } }: { readonly freshness: Freshness }) {
  if (busy === undefined) return null
  const since = Date.parse(busy.since)
  return (
    <p class="freshness busy" role="status">
      <strong>{busy.command === 'crawl' ? 'A crawl is running' : `“${busy.command}” is running`}</strong>
      {Number.isNaN(since) ? '' : ` since ${formatTime(since)}`} (pid {busy.pid}).{' '}
      {asOf === undefined
        ? 'CrawlDb data is available when it has finished; fetches and the index are current.'
        : `CrawlDb data is as of ${formatTime(asOf)}; fetches and the index are current.`}
    </p>
  )
}
