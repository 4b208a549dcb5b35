import { ConfigurationError } from '../../../base/crawl-error.ts'
import type { GenerateRequest } from '../../../domain/crawldb/crawl-db-requests.ts'
import { checkExpression } from '../condition.ts'
import type { Session } from '../session.ts'

/**
 * Creates the table `host_limits (host_id, max_count)` with the limits that `hostLimitExpr` gives, and returns them by host. A negative one
 * becomes infinite. Without an expression there is no table.
 */
export async function computeHostLimits(
  session: Session,
  { hostLimitExpr, countMode }: GenerateRequest,
): Promise<ReadonlyMap<string, number> | undefined> {
  if (hostLimitExpr === undefined) return undefined
  if (countMode === 'domain')
    throw new ConfigurationError(
      'OPTION_INVALID',
      'hostDb.maxCountExpr limits hosts, and cannot be used with --count-mode domain',
    )
  const value = await checkExpression(session, hostLimitExpr, 'hostdb', 'hostDb.maxCountExpr')
  await session.run(`
    CREATE TEMP TABLE host_limits AS
    SELECT h.id AS host_id, l.host, CASE WHEN l.value < 0 THEN 'inf'::DOUBLE ELSE floor(l.value) END AS max_count
    FROM (SELECT host, ${value}::DOUBLE AS value FROM hostdb) l JOIN hosts h ON h.host = l.host WHERE l.value IS NOT NULL`)
  const rows = await session.all<{ host: string; max_count: number }>(
    'SELECT host, max_count FROM host_limits',
  )
  return new Map(rows.map(({ host, max_count }) => [host, max_count]))
}
