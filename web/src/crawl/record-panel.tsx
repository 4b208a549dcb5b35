import type { UrlReport } from '../../../src/adapters/serve/responses.ts'
import { formatDuration, formatRelativeTime, formatTime } from '../parts/format.ts'

type CrawlRecord = NonNullable<UrlReport['record']>

/** The record in the CrawlDb. */
export function RecordPanel({ record }: { readonly record: CrawlRecord }) {
  const { validators, metadata, signature, modifiedTime } = record
  return (
    <section class="panel" aria-labelledby="record">
      <h2 id="record">CrawlDb record</h2>
      <Details
        rows={[
          ['next fetch', dueText(record)],
          ['last fetched', formatTime(record.lastFetchTime)],
          ...(modifiedTime === 0 ? [] : [['last modified', formatTime(modifiedTime)] as const]),
          ['fetch interval', formatDuration(record.fetchInterval * 1000)],
          ['consecutive failures', String(record.retries)],
          ['score', String(Number(record.score.toPrecision(4)))],
          ...(signature === undefined ? [] : [['signature', signature] as const]),
          ...(validators?.etag === undefined ? [] : [['etag', validators.etag] as const]),
          ...(validators?.lastModified === undefined
            ? []
            : [['last-modified', validators.lastModified] as const]),
          ...Object.entries(metadata),
        ]}
      />
    </section>
  )
}

function dueText({ generatedIn, fetchTime, status, retries }: CrawlRecord): string {
  if (generatedIn !== undefined) return `on the fetch list of segment ${generatedIn}`
  if (fetchTime <= Date.now()) return 'due now; generate selects due URLs by score'
  const why =
    status === 'db_gone'
      ? 'gone or forbidden; fetched again then'
      : retries > 0
        ? 'back-off after a failure'
        : status === 'db_unfetched'
          ? 'postponed'
          : ''
  return `${formatRelativeTime(fetchTime)}, ${formatTime(fetchTime)}${why === '' ? '' : `: ${why}`}`
}

interface DetailsProps {
  readonly rows: ReadonlyArray<readonly [name: string, value: string]>
}

/** A list of names and values. */
function Details({ rows }: DetailsProps) {
  return (
    <dl class="details">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
