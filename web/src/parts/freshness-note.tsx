import type { Freshness } from '../../../src/adapters/serve/answers.ts'
import { moment } from './shown.ts'

/** Says who works on the crawl, and how old what the CrawlDb says is therefore. While nobody does it is current. */
export function FreshnessNote({ freshness: { asOf, busy } }: { readonly freshness: Freshness }) {
  if (busy === undefined) return null
  const since = Date.parse(busy.since)
  return (
    <p class="freshness busy" role="status">
      <strong>{busy.command === 'crawl' ? 'A crawl is running' : `“${busy.command}” is running`}</strong>
      {Number.isNaN(since) ? '' : ` since ${moment(since)}`} (pid {busy.pid}).{' '}
      {asOf === undefined
        ? 'What the database says comes when it is done; visits and the index are current.'
        : `What the database says is as of ${moment(asOf)}; visits and the index are current.`}
    </p>
  )
}
