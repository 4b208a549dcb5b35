import type { PagePreview, UrlReport } from '../../../src/adapters/serve/responses.ts'
import { formatTime } from '../parts/format.ts'
import { FreshnessNote } from '../parts/freshness-note.tsx'
import { PlaceLink, WebLink } from '../parts/links.tsx'
import { placeOf, useTitle } from '../parts/location.ts'
import { Notice } from '../parts/notice.tsx'
import { StatusBadge } from '../parts/status-badge.tsx'
import { useResponse } from '../parts/use-response.ts'
import { PageText } from '../search/page-text.tsx'
import { FetchesPanel } from './fetches-panel.tsx'
import { FoundPanel } from './found-panel.tsx'
import { RecordPanel } from './record-panel.tsx'

/** Everything the crawl has about one URL: the report of `orbweaver explain` and the stored text. */
export function UrlPage({ url }: { readonly url: string }) {
  const { value, problem } = useResponse<UrlReport>(url === '' ? undefined : placeOf('/api/url', { url }))
  useTitle(url)
  if (url === '') return <Notice title="No URL given" />
  if (problem !== undefined)
    return (
      <Notice title="Request failed">
        <p>{problem}</p>
      </Notice>
    )
  if (value === undefined) return <p class="loading">Reading the segments…</p>
  if (value.url === undefined)
    return (
      <Notice title="This URL cannot be crawled">
        <p class="wrap">{value.input}</p>
        <p>{value.problem}</p>
      </Notice>
    )
  const { record, filter } = value
  return (
    <div class="page">
      <div class="page-head">
        <p class="kind">URL</p>
        <h1 class="url-title">
          <WebLink url={value.url} />
        </h1>
        <p class="lead">
          {record === undefined ? (
            <span class="badge waiting">{noRecord(value)}</span>
          ) : (
            <StatusBadge status={record.status} />
          )}
          {filter !== undefined && (
            <span>
              {' '}
              {filter.accepted ? 'accepted' : 'rejected'} by the rule “{filter.rule}”
            </span>
          )}
          {' · '}
          <PlaceLink to={placeOf('/host', { host: new URL(value.url).hostname })}>Host</PlaceLink>
        </p>
        <FreshnessNote freshness={value.freshness} />
      </div>
      <div class="panels">
        {record !== undefined && <RecordPanel record={record} />}
        <FoundPanel report={value} />
        <FetchesPanel report={value} />
        <StoredPanel url={value.url} />
      </div>
    </div>
  )
}

function noRecord({ freshness, filter, foundOn, fetches, lost }: UrlReport): string {
  if (freshness.asOf === undefined) return 'CrawlDb not available'
  if (filter?.accepted === false) return 'not in the CrawlDb: rejected by the URL filters'
  if (foundOn.length + fetches.length > 0) return 'found; not in the CrawlDb until the next updatedb'
  const [dropped] = lost?.dropped ?? []
  if (dropped !== undefined)
    return `not in the CrawlDb: the link on ${dropped.fromUrl} was dropped by ${dropped.rule}`
  const [truncated] = lost?.truncated ?? []
  if (truncated !== undefined)
    return `not in the CrawlDb: no link to it was found; the body of ${truncated.url} was truncated (${truncated.why}) and may contain one`
  return 'not in the CrawlDb: not a seed, and no fetched page links to it'
}

/** The stored text of a page. */
function StoredPanel({ url }: { readonly url: string }) {
  const { value, problem } = useResponse<PagePreview>(placeOf('/api/preview', { url }))
  return (
    <section class="panel wide" aria-labelledby="stored">
      <h2 id="stored">Stored page</h2>
      {problem !== undefined && <p class="quiet">{problem}</p>}
      {value !== undefined && (
        <article class="stored" lang={value.lang}>
          <h3>{value.title}</h3>
          <p class="quiet">fetched {formatTime(value.fetchedAt)}</p>
          <PageText paragraphs={value.paragraphs} />
          {value.cut && <p class="cut">Only the beginning of the text is shown.</p>}
        </article>
      )}
    </section>
  )
}
