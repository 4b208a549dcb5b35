/** Which colour a status has. */
export type StatusKind = 'good' | 'same' | 'waiting' | 'moved' | 'passing' | 'gone' | 'failed' | 'double'

/** The statuses of records and visits, in words. */
const STATUSES: Readonly<Record<string, readonly [text: string, kind: StatusKind]>> = {
  db_unfetched: ['not fetched', 'waiting'],
  db_fetched: ['fetched', 'good'],
  db_gone: ['gone', 'gone'],
  db_redir_temp: ['redirects for now', 'passing'],
  db_redir_perm: ['redirects for good', 'moved'],
  db_notmodified: ['not modified', 'same'],
  db_duplicate: ['duplicate', 'double'],
  db_orphan: ['orphan', 'gone'],
  db_parse_failed: ['not readable', 'failed'],
  fetch_success: ['fetched', 'good'],
  fetch_retry: ['failed, to be tried again', 'failed'],
  fetch_redir_temp: ['redirects for now', 'passing'],
  fetch_redir_perm: ['redirects for good', 'moved'],
  fetch_gone: ['gone', 'gone'],
  fetch_notmodified: ['not modified', 'same'],
  parse_failed: ['not readable', 'failed'],
  not_reached: ['not reached', 'waiting'],
}

export function statusText(status: string): string {
  return STATUSES[status]?.[0] ?? status
}

export function statusKind(status: string): StatusKind {
  return STATUSES[status]?.[1] ?? 'waiting'
}
