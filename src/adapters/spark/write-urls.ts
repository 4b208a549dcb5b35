import { registeredDomain } from '../../domain/url/registered-domain.ts'
import { castColumns, hostInSpark, NEW_RECORD, RECORD_NAMES, TABLES } from './crawl-tables.ts'
import type { NextVersion } from './crawl-versions.ts'
import type { RuleQueries } from './rule-queries.ts'

/** Rows of `urls AS u`, with other values for some columns. */
export function urlRows(values: Readonly<Record<string, string>>, joins = '', where = ''): string {
  const columns = Object.keys(TABLES.urls).map((name) => `${values[name] ?? `u.${name}`} AS ${name}`)
  return `SELECT ${columns.join(', ')} FROM urls u ${joins} ${where === '' ? '' : `WHERE ${where}`}`
}

/** Rows of new URLs. @param values by column; those of the host and the URL are needed */
export function newUrlRows(from: string, values: Readonly<Record<string, string>>): string {
  const complete: Record<string, string> = { ...NEW_RECORD, ...values }
  const columns = Object.keys(TABLES.urls).map((name) => `${complete[name] ?? 'NULL'} AS ${name}`)
  return `SELECT ${castColumns('urls')} FROM (SELECT ${columns.join(', ')} FROM ${from})`
}

/** The columns of records that rules return, with their types in JSON. */
export const RECORD_RESULT = [
  'url STRING',
  ...RECORD_NAMES.map((name) => `${name} ${resultType(name)}`),
].join(', ')

function resultType(column: string): string {
  const type = (TABLES.urls as Readonly<Record<string, string>>)[column]
  if (column === 'generated_in') return 'STRING'
  return type === 'FLOAT' ? 'DOUBLE' : String(type)
}

/** The rows of `u` as rules read them. */
export const RECORD_INPUT = RECORD_NAMES.map((name) =>
  name === 'generated_in' ? 'CAST(u.generated_in AS STRING) AS generated_in' : `u.${name}`,
).join(', ')

/** All rows of `urls`, those of the view `changes` (url, and the columns of a record) with its values. */
export function replacedRows(changes: string): string {
  const values = RECORD_NAMES.map((name) => [
    name,
    `CASE WHEN c.url IS NULL THEN u.${name} ELSE c.${name} END`,
  ])
  return urlRows(Object.fromEntries(values), joinByUrl(changes))
}

/** A join of `urls AS u` with a view that has `url`, as `c`: by host, too, so that the buckets of `urls` are used. */
export function joinByUrl(view: string): string {
  return `LEFT JOIN (SELECT *, ${hostInSpark('url')} AS url_host FROM ${view}) c ON c.url_host = u.host AND c.url = u.url`
}

/**
 * Adds hosts to `hosts`, with their registered domains from the public suffix list, which is not available in SQL; and sets until when
 * hosts must wait.
 * @param newHosts selects `host`; a host may occur several times
 * @param waits a view (host, until, reason) of hosts whose wait becomes longer
 */
export async function writeHosts(
  next: NextVersion,
  rules: RuleQueries,
  newHosts: string | undefined,
  waits?: string,
): Promise<void> {
  const domains = newHosts === undefined ? undefined : await domainsOf(next, rules, newHosts)
  if (domains === undefined && waits === undefined) return
  const known =
    waits === undefined
      ? 'SELECT * FROM hosts'
      : `SELECT h.host, h.domain, coalesce(w.until, h.not_before) AS not_before,
           CASE WHEN w.host IS NULL THEN h.wait_reason ELSE w.reason END AS wait_reason
         FROM hosts h LEFT JOIN ${waits} w ON w.host = h.host`
  const waitOfNew =
    waits === undefined
      ? 'NULL AS not_before, NULL AS wait_reason FROM domains d'
      : `w.until AS not_before, w.reason AS wait_reason FROM domains d LEFT JOIN ${waits} w ON w.host = d.host`
  await next.write(
    'hosts',
    known,
    domains === undefined ? undefined : `WITH domains AS (${domains}) SELECT d.host, d.domain, ${waitOfNew}`,
  )
}

/** A query (host, domain) for the hosts that are not in `hosts`; `undefined`: there are none. */
async function domainsOf(
  next: NextVersion,
  rules: RuleQueries,
  newHosts: string,
): Promise<string | undefined> {
  const { db } = next
  const unknown = `SELECT DISTINCT n.host FROM (${newHosts}) n LEFT ANTI JOIN hosts h ON h.host = n.host`
  const some = await db.all<{ host: string }>(`${unknown} LIMIT ${FEW_HOSTS + 1}`)
  if (some.length === 0) return undefined
  if (some.length > FEW_HOSTS) return rules.apply(DOMAINS, unknown, 'host STRING, domain STRING')
  const rows = some.map(({ host }) => [host, registeredDomain(host)])
  await db.viewRows('few_domains', { host: 'STRING', domain: 'STRING' }, rows)
  return 'SELECT * FROM few_domains'
}

const DOMAINS = { task: 'domains', now: 0 } as const
/** Up to this number this process is faster: executors would first have to start Node.js. */
const FEW_HOSTS = 10_000
