import { ConfigurationError } from '../base/crawl-error.ts'
import type { HostQueuesOptions } from '../domain/politeness/host-queues.ts'
import { readRows } from '../flows/cycle/read-rows.ts'
import type { CrawlSession } from './crawl-session.ts'

/** The rate limits of hosts, with the delays that `hostDb.delayExpr` gives. */
export async function withHostDelays(
  { reader, hostDb, settings, path }: Pick<CrawlSession, 'reader' | 'hostDb' | 'settings' | 'path'>,
  politeness: HostQueuesOptions,
): Promise<HostQueuesOptions> {
  const { delayExpr } = settings.hostDb
  if (delayExpr === undefined) return politeness
  if (hostDb === undefined) throw hostDbMissing(path)
  const rows = await readRows<{ host: string; seconds: number }>(
    reader,
    `SELECT host, seconds FROM (SELECT host, (\n${delayExpr}\n)::DOUBLE AS seconds FROM hostdb) WHERE seconds >= 0`,
  ).catch((error: unknown) => {
    throw error instanceof ConfigurationError ? delayRefusal(delayExpr, error) : error
  })
  const delays = new Map(rows.map(({ host, seconds }) => [host, Math.round(seconds * 1000)]))
  return {
    ...politeness,
    overrides: (key) => {
      const own = politeness.overrides?.(key)
      const delayMs = delays.get(key)
      return delayMs === undefined ? own : { delayMs, ...own }
    },
  }
}

/** Without the part of the message that quotes our query. */
function delayRefusal(delayExpr: string, cause: ConfigurationError): ConfigurationError {
  const [why] = cause.message.split(/ in FROM clause|\n/)
  return new ConfigurationError(
    'SETTING_INVALID',
    `hostDb.delayExpr "${delayExpr}" cannot be used: ${why}; docs/hosts-and-links.md lists the columns of hostdb`,
    { cause },
  )
}

export function hostDbMissing(path: string): ConfigurationError {
  return new ConfigurationError(
    'CRAWL_MISMATCH',
    `the HostDb needs the engine DuckDB, and the CrawlDb of ${path} is on Spark: convert it with "orbweaver db convert ${path} --to duckdb"`,
  )
}
