/**
 * A spider without a web, for a test that kills it: `settle-until-killed.ts <crawl directory> <during|after> <statement>`. Each page n has an
 * item and leads to 2n + 1 and 2n + 2. The third settlement kills the process while it runs the statement that begins so, or right after.
 */
import { openCrawlDirectory } from '../src/adapters/duckdb/open-crawl-directory.ts'
import { Session } from '../src/adapters/duckdb/session.ts'
import type { LeasedRequest } from '../src/domain/frontier/frontier.ts'
import type { Settlement } from '../src/domain/frontier/settlement.ts'
import { defaultRules } from './rule-sets.ts'

const [path = '', when = '', statement = ''] = process.argv.slice(2)
const directory = await openCrawlDirectory(path, { command: 'test', memoryMb: 160, threads: 1 })
const frontier = directory.frontier({ rules: defaultRules })

for (let i = 0; i < 2; i++) await frontier.settle(await nextSettlements())
const last = await nextSettlements()
const run = Session.prototype.run
Session.prototype.run = async function (sql, values) {
  const running = run.call(this, sql, values)
  if (!sql.trimStart().startsWith(statement)) return running
  if (when === 'after') await running
  return process.kill(process.pid, 'SIGKILL') ? 0 : 1
}
await frontier.settle(last)

async function nextSettlements(): Promise<Settlement[]> {
  const leases = await frontier.lease({ requests: 8, perHost: 3, now: Date.now() })
  return leases.flatMap(({ requests }) => requests.map(settlementOf))
}

function settlementOf({ id, request: { url, depth } }: LeasedRequest): Settlement {
  const n = Number(url.split('/').at(-1))
  const links = [2 * n + 1, 2 * n + 2].map((child) => `http://h${child % 7}.test/${child}`)
  return {
    id,
    end: { kind: 'done' },
    fetch: { url, status: 'fetch_success', protocolStatus: 'SUCCESS', fetchedAt: Date.now() },
    requests: links.map((link) => ({ url: link, handler: 'parse', depth: depth + 1, from: url })),
    items: [{ n }],
    rejected: [{ item: { n }, reason: 'kept to compare' }],
  }
}
