import type { Freshness } from '../../../src/adapters/serve/responses.ts'
import { formatTime } from './format.ts'
import { PlaceLink } from './links.tsx'
import { placeOf } from './location.ts'

/** Shows which process works on the crawl, and whether it provides CrawlDb data. Without such a process, the data comes from the files. */
export function FreshnessNote({ freshness: { asOf, busy } }: { readonly freshness: Freshness }) {
  if (busy === undefined) return null
  const since = Date.parse(busy.since)
  return (
    <p class="freshness busy" role="status">
      <strong>{busy.command === 'crawl' ? 'A crawl is running' : `“${busy.command}” is running`}</strong>
      {Number.isNaN(since) ? '' : ` since ${formatTime(since)}`} (pid {busy.pid}).{' '}
      {asOf === undefined && 'It does not provide CrawlDb data at the moment. '}
      <PlaceLink to={placeOf('/live')}>Watch it live</PlaceLink>
    </p>
  )
}
