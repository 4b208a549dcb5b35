import { DOUBLE, VARCHAR } from '@duckdb/node-api'
import type { FrontierOrder, LeaseOptions } from '../../../domain/frontier/frontier.ts'
import type { Session } from '../session.ts'
import { type Lease, requestOf } from './leased-request.ts'

/** The requests to lease, in the order in which to send them. */
export async function chooseRequests(
  session: Session,
  order: FrontierOrder,
  wish: LeaseOptions,
  leased: Iterable<Lease>,
): Promise<Lease[]> {
  await stageLeased(session, leased)
  await session.run(choice(order, wish))
  // By row id, so that the long columns are read of the chosen ones only.
  await session.run(`
    CREATE TEMP TABLE handed_out AS
    SELECT r.seq::DOUBLE AS seq, r.host, r.url, r.attempt, r.due::DOUBLE AS due, r.request
    FROM chosen c JOIN requests r ON r.rowid = c.row_id ORDER BY c.rowid`)
  const requests: Lease[] = []
  for await (const batch of session.batches<Row>('handed_out')) {
    for (const { url, request, ...rest } of batch)
      requests.push({ ...rest, request: requestOf(url, request) })
  }
  return requests
}

interface Row extends Omit<Lease, 'request'> {
  readonly url: string
  readonly request: string
}

async function stageLeased(session: Session, leased: Iterable<Lease>): Promise<void> {
  const table = await session.stage('leased', { seq: DOUBLE, host: VARCHAR })
  for (const { seq, host } of leased) table.add(seq, host)
  table.close()
}

/**
 * Numbers the requests of each host, starting after the leased ones. Hosts are compared by a hash, which sorts twice as fast as the name;
 * two hosts with the same hash share one numbering.
 */
function choice(order: FrontierOrder, { requests, perHost, now }: LeaseOptions): string {
  const { within, overall } = ORDERS[order]
  return `
    CREATE TEMP TABLE chosen AS
    WITH
      waiting AS (
        SELECT r.rowid AS row_id, r.seq, r.priority, hash(r.host) AS line
        FROM requests r ANTI JOIN (SELECT seq::BIGINT AS seq FROM leased) l ON l.seq = r.seq WHERE r.due <= ${Math.floor(now)}),
      turns AS (SELECT *, row_number() OVER (PARTITION BY line ORDER BY ${within}) AS turn FROM waiting),
      lines AS (SELECT hash(host) AS line, count(*) AS out FROM leased GROUP BY ALL)
    SELECT t.row_id
    FROM turns t LEFT JOIN lines o ON o.line = t.line
    WHERE t.turn + coalesce(o.out, 0) <= ${Math.min(perHost, Number.MAX_SAFE_INTEGER)}
    ORDER BY ${overall} LIMIT ${Math.min(requests, Number.MAX_SAFE_INTEGER)}`
}

const ORDERS = {
  hosts: { within: 'priority DESC, seq', overall: 't.turn + coalesce(o.out, 0), t.seq' },
  priority: { within: 'priority DESC, seq', overall: 't.priority DESC, t.seq' },
  fifo: { within: 'seq', overall: 't.seq' },
  lifo: { within: 'seq DESC', overall: 't.seq DESC' },
} as const satisfies Record<FrontierOrder, unknown>
