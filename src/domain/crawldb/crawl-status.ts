/**
 * Every status a record can have, with Nutch's codes and names. `db` statuses stand in the CrawlDb, `fetch` statuses say how a fetch
 * went, `other` ones label what a parse or an inject hands on. Codes and names are stored: they never change.
 */
export const CRAWL_STATUSES = [
  { code: 0x01, name: 'db_unfetched', kind: 'db', meaning: 'known, never fetched, or to be tried again' },
  { code: 0x02, name: 'db_fetched', kind: 'db', meaning: 'fetched' },
  {
    code: 0x03,
    name: 'db_gone',
    kind: 'db',
    meaning: 'not there, denied, failed too often, or unlinked for long',
  },
  { code: 0x04, name: 'db_redir_temp', kind: 'db', meaning: 'redirects for now' },
  { code: 0x05, name: 'db_redir_perm', kind: 'db', meaning: 'redirects for good' },
  {
    code: 0x06,
    name: 'db_notmodified',
    kind: 'db',
    meaning: 'fetched, and unchanged since the previous fetch',
  },
  { code: 0x07, name: 'db_duplicate', kind: 'db', meaning: 'has the content of another page that is kept' },
  { code: 0x08, name: 'db_orphan', kind: 'db', meaning: 'no link to it for very long' },
  { code: 0x09, name: 'db_parse_failed', kind: 'db', meaning: 'fetched, but could not be read' },
  { code: 0x21, name: 'fetch_success', kind: 'fetch', meaning: 'responded with content' },
  { code: 0x22, name: 'fetch_retry', kind: 'fetch', meaning: 'failed in a way that may pass' },
  { code: 0x23, name: 'fetch_redir_temp', kind: 'fetch', meaning: 'responded with a temporary redirect' },
  { code: 0x24, name: 'fetch_redir_perm', kind: 'fetch', meaning: 'responded with a permanent redirect' },
  { code: 0x25, name: 'fetch_gone', kind: 'fetch', meaning: 'not there, or denied' },
  { code: 0x26, name: 'fetch_notmodified', kind: 'fetch', meaning: 'responded that nothing changed' },
  { code: 0x41, name: 'signature', kind: 'other', meaning: 'the signature a parse computed' },
  { code: 0x42, name: 'injected', kind: 'other', meaning: 'a seed being injected' },
  { code: 0x43, name: 'linked', kind: 'other', meaning: 'a link, with what it brings its target' },
  { code: 0x44, name: 'parse_metadata', kind: 'other', meaning: 'metadata a parse hands to the record' },
  // Counts as a fetch status when records are merged: it says how the fetch ended.
  { code: 0x45, name: 'parse_failed', kind: 'other', meaning: 'the content could not be read' },
] as const

type StatusRow = (typeof CRAWL_STATUSES)[number]
export type CrawlStatus = StatusRow['name']
/** The statuses a record of the CrawlDb can have. */
export type DbStatus = Extract<StatusRow, { kind: 'db' }>['name']

const CODES = new Map<string, number>(CRAWL_STATUSES.map(({ name, code }) => [name, code]))
const NAMES = new Map<number, CrawlStatus>(CRAWL_STATUSES.map(({ name, code }) => [code, name]))

export function statusCode(name: CrawlStatus): number {
  return CODES.get(name) ?? 0
}

/** `undefined` for a code no status has. */
export function statusName(code: number): CrawlStatus | undefined {
  return NAMES.get(code)
}

export function isDbStatus(name: string): name is DbStatus {
  return name.startsWith('db_') && CODES.has(name)
}
