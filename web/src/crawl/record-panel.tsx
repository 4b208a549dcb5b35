import type { UrlReport } from '../../../src/adapters/serve/answers.ts'
import { Details } from '../parts/details.tsx'
import { duration, fromNow, moment } from '../parts/shown.ts'

type CrawlRecord = NonNullable<UrlReport['record']>

/** What the CrawlDb remembers. */
export function RecordPanel({ record }: { readonly record: CrawlRecord }) {
  const { validators, metadata, signature, modifiedTime } = record
  return (
    <section class="panel" aria-labelledby="record">
      <h2 id="record">Record</h2>
      <Details
        rows={[
          ['due', dueText(record)],
          ['last fetched', moment(record.lastFetchTime)],
          ...(modifiedTime === 0 ? [] : [['changed', moment(modifiedTime)] as const]),
          ['visited every', duration(record.fetchInterval * 1000)],
          ['failures in a row', String(record.retries)],
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
  if (fetchTime <= Date.now()) return 'now: the next generate takes it, if its score suffices'
  const why =
    status === 'db_gone'
      ? 'gone or forbidden, asked for again then'
      : retries > 0
        ? 'it rests after a failure'
        : status === 'db_unfetched'
          ? 'it was put off'
          : ''
  return `${fromNow(fetchTime)}, ${moment(fetchTime)}${why === '' ? '' : `: ${why}`}`
}
