export function StatusBadge({ status }: { readonly status: string }) {
  return (
    <span class={`badge ${statusKind(status)}`} title={status}>
      {statusText(status)}
    </span>
  )
}

/** Determines the colour of a status. */
export type StatusKind = 'good' | 'same' | 'waiting' | 'moved' | 'passing' | 'gone' | 'failed' | 'double'

/** Texts for the statuses of records and fetches. */
const STATUSES: Readonly<Record<string, readonly [text: string, kind: StatusKind]>> = {
  db_unfetched: ['not fetched', 'waiting'],
  db_fetched: ['fetched', 'good'],
  db_gone: ['gone', 'gone'],
  db_redir_temp: ['temporary redirect', 'passing'],
  db_redir_perm: ['permanent redirect', 'moved'],
  db_notmodified: ['not modified', 'same'],
  db_duplicate: ['duplicate', 'double'],
  db_orphan: ['orphan', 'gone'],
  db_parse_failed: ['parse failed', 'failed'],
  fetch_success: ['fetched', 'good'],
  fetch_retry: ['failed, will be retried', 'failed'],
  fetch_redir_temp: ['temporary redirect', 'passing'],
  fetch_redir_perm: ['permanent redirect', 'moved'],
  fetch_gone: ['gone', 'gone'],
  fetch_notmodified: ['not modified', 'same'],
  parse_failed: ['parse failed', 'failed'],
  not_reached: ['not reached', 'waiting'],
}

export function statusText(status: string): string {
  return STATUSES[status]?.[0] ?? status
}

export function statusKind(status: string): StatusKind {
  return STATUSES[status]?.[1] ?? 'waiting'
}
