import { DOUBLE, INTEGER, VARCHAR } from '@duckdb/node-api'
import type { RequestEnd } from '../../../domain/frontier/settlement.ts'
import type { Session } from '../session.ts'
import { type EndedRequest, type Lease, requestJson } from './leased-request.ts'

/** Prepares to delete, requeue or fail each settled request. */
export async function endRequests(
  session: Session,
  ended: readonly EndedRequest[],
  now: number,
): Promise<{ write(): Promise<void> }> {
  const ends = ended.map(({ lease, settlement: { end } }) => ({ lease, end }))
  const statements = [
    await putOff(session, ends.filter(isPutOff)),
    await keepFailures(session, ends.filter(isFailed), now),
    await forget(
      session,
      ends.filter(({ end: { kind } }) => kind === 'done' || kind === 'failed'),
    ),
  ]
  return {
    async write() {
      for (const sql of statements) if (sql !== undefined) await session.run(sql)
    },
  }
}

interface End<Kind extends RequestEnd['kind']> {
  readonly lease: Lease
  readonly end: Extract<RequestEnd, { readonly kind: Kind }>
}
type AnyEnd = { readonly lease: Lease; readonly end: RequestEnd }

/** A request that is requeued without a time stays due: nothing changes. */
function isPutOff(request: AnyEnd): request is End<'retry' | 'requeue'> {
  const { end } = request
  return end.kind === 'retry' || (end.kind === 'requeue' && end.at !== undefined)
}

function isFailed(request: AnyEnd): request is End<'failed'> {
  return request.end.kind === 'failed'
}

async function putOff(session: Session, requests: readonly End<'retry' | 'requeue'>[]) {
  if (requests.length === 0) return undefined
  const table = await session.stage('later', { seq: DOUBLE, due: DOUBLE, attempt: INTEGER, reason: VARCHAR })
  for (const { lease, end } of requests) {
    const isRetry = end.kind === 'retry'
    table.add(
      lease.seq,
      Math.ceil(end.at ?? 0),
      lease.attempt + (isRetry ? 1 : 0),
      isRetry ? end.reason : null,
    )
  }
  table.close()
  return `
    UPDATE requests SET due = l.due::BIGINT, attempt = l.attempt::USMALLINT, reason = coalesce(l.reason, requests.reason)
    FROM later l WHERE requests.seq = l.seq::BIGINT`
}

async function keepFailures(session: Session, requests: readonly End<'failed'>[], now: number) {
  if (requests.length === 0) return undefined
  const table = await session.stage('failures', FAILURES)
  for (const { lease, end } of requests) {
    const { host, request, attempt } = lease
    const { code, reason, stack = null } = end
    const { url, priority = 0 } = request
    table.add(host, url, priority, attempt, code, reason, stack, now, requestJson(request))
  }
  table.close()
  return `
    INSERT INTO failed_requests
    SELECT (SELECT coalesce(max(position), 0) FROM failed_requests) + 1 + rowid, * FROM failures ORDER BY rowid`
}

/** The columns of `failed_requests` without the position. */
const FAILURES = {
  host: VARCHAR,
  url: VARCHAR,
  priority: DOUBLE,
  attempts: INTEGER,
  code: VARCHAR,
  reason: VARCHAR,
  stack: VARCHAR,
  failed_at: DOUBLE,
  request: VARCHAR,
}

async function forget(session: Session, requests: readonly AnyEnd[]) {
  if (requests.length === 0) return undefined
  const table = await session.stage('through', { seq: DOUBLE })
  for (const { lease } of requests) table.add(lease.seq)
  table.close()
  return 'DELETE FROM requests WHERE seq IN (SELECT seq::BIGINT FROM through)'
}
