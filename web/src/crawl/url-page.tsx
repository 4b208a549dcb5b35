import type { UrlReport } from '../../../src/adapters/serve/answers.ts'
import { useAnswer } from '../parts/ask.ts'
import { FreshnessNote } from '../parts/freshness-note.tsx'
import { placeOf } from '../parts/location.ts'
import { Notice } from '../parts/notice.tsx'
import { PlaceLink } from '../parts/place-link.tsx'
import { StatusBadge } from '../parts/status-badge.tsx'
import { useTitle } from '../parts/use-title.ts'
import { WebLink } from '../parts/web-link.tsx'
import { FoundPanel } from './found-panel.tsx'
import { RecordPanel } from './record-panel.tsx'
import { StoredPanel } from './stored-panel.tsx'
import { VisitsPanel } from './visits-panel.tsx'

/** All that is known about one URL: what `orbweaver explain` tells, and the stored text. */
export function UrlPage({ url }: { readonly url: string }) {
  const { value, problem } = useAnswer<UrlReport>(url === '' ? undefined : placeOf('/api/url', { url }))
  useTitle(url)
  if (url === '') return <Notice title="Which URL?" />
  if (problem !== undefined)
    return (
      <Notice title="That did not work">
        <p>{problem}</p>
      </Notice>
    )
  if (value === undefined) return <p class="loading">Looking through the segments…</p>
  if (value.url === undefined)
    return (
      <Notice title="This is never crawled">
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
          <PlaceLink to={placeOf('/host', { host: new URL(value.url).hostname })}>Its host</PlaceLink>
        </p>
        <FreshnessNote freshness={value.freshness} />
      </div>
      <div class="panels">
        {record !== undefined && <RecordPanel record={record} />}
        <FoundPanel report={value} />
        <VisitsPanel report={value} />
        <StoredPanel url={value.url} />
      </div>
    </div>
  )
}

function noRecord({ freshness, filter, foundOn, visits, lost }: UrlReport): string {
  if (freshness.asOf === undefined) return 'its record cannot be read now'
  if (filter?.accepted === false) return 'not known: the rules reject it'
  if (foundOn.length + visits.length > 0) return 'found, and waits for updatedb'
  const [dropped] = lost?.dropped ?? []
  if (dropped !== undefined) return `not known: the link on ${dropped.fromUrl} was dropped by ${dropped.rule}`
  const [truncated] = lost?.truncated ?? []
  if (truncated !== undefined)
    return `not known: no link to it was found; the body of ${truncated.url} was truncated (${truncated.why}) and may have one`
  return 'not known: no page that was fetched links to it, and it is not a seed'
}
