import { open } from 'node:fs/promises'
import { writeByName } from '../../../base/durable-files.ts'
import type { CrawlDb, CrawlDbStats, HostWaits, SegmentState } from '../../../domain/crawldb/crawl-db.ts'
import type {
  CrawlDbReader,
  DumpOptions,
  SqlResult,
  UrlStatus,
} from '../../../domain/crawldb/crawl-db-reader.ts'
import type { CrawlRecord } from '../../../domain/crawldb/crawl-record.ts'
import type { DbStatus } from '../../../domain/crawldb/crawl-status.ts'
import type { Inlink, LinkDb } from '../../../domain/crawldb/link-db.ts'
import type { DeadLetters, FailedRequest, FailureChoice } from '../../../domain/frontier/dead-letters.ts'
import type { ItemLog, LoggedItem, LoggedRejection } from '../../../domain/frontier/item-log.ts'
import type { NearPage, NoveltyReport } from '../../../domain/novelty/novelty-report.ts'
import type { ControlClient } from './control-client.ts'
import type { SqlPart } from './control-methods.ts'

/** The ports for reading a crawl. */
export interface CrawlReadPorts {
  readonly db: Pick<
    CrawlDb,
    'segments' | 'seeds' | 'find' | 'findAll' | 'countDue' | 'stats' | 'hostWaits' | 'novelty' | 'nearPages'
  >
  readonly links: Pick<LinkDb, 'inlinks'>
  readonly reader: CrawlDbReader
  readonly items: ItemLog
  readonly deadLetters: Pick<DeadLetters, 'failed'>
}

/** The crawl of another process, read through its control socket. */
export function remoteReads(client: ControlClient): CrawlReadPorts {
  return {
    db: {
      segments: () => client.one<SegmentState[]>('segments'),
      seeds: () => client.list<string>('seeds'),
      find: (url) => client.one<CrawlRecord | undefined>('find', [url]),
      findAll: async (urls) => new Map(await client.list<[string, CrawlRecord]>('findAll', [urls])),
      countDue: (now, maxIntervalSeconds) => client.one<number>('countDue', [now, maxIntervalSeconds]),
      stats: () => client.one<CrawlDbStats>('stats'),
      hostWaits: (now, host) => client.one<HostWaits>('hostWaits', host === undefined ? [now] : [now, host]),
      novelty: (url) => client.one<NoveltyReport>('novelty', url === undefined ? [] : [url]),
      nearPages: (url) => client.list<NearPage>('nearPages', url === undefined ? [] : [url]),
    },
    links: { inlinks: (url) => client.list<Inlink>('inlinks', [url]) },
    reader: {
      dump: (file, options) => dumpTo(client, file, options),
      withStatus: (statuses: readonly DbStatus[]) => client.stream<UrlStatus[]>('withStatus', [statuses]),
      check: () => client.one<void>('check'),
      sql: (query) => collectSql(client.stream<SqlPart>('sql', [query])),
    },
    items: {
      items: (position, limit) => client.list<LoggedItem>('items', [position, limit]),
      rejected: (position, limit) => client.list<LoggedRejection>('rejected', [position, limit]),
    },
    deadLetters: {
      failed: (choice: FailureChoice = {}) => client.list<FailedRequest>('failed', [choice]),
    },
  }
}

/** Joins the parts of a result. */
export async function collectSql(parts: AsyncIterable<SqlPart>): Promise<SqlResult> {
  let columns: readonly string[] = []
  const rows: Array<readonly unknown[]> = []
  for await (const part of parts) {
    if ('columns' in part) columns = part.columns
    else for (const row of part) rows.push(row)
  }
  return { columns, rows }
}

/** The owner sends the bytes; this process writes them with its own rights. */
function dumpTo(client: ControlClient, file: string, options: DumpOptions): Promise<number> {
  return writeByName(file, async (path) => {
    const output = await open(path, 'w')
    try {
      for await (const part of client.stream<Uint8Array | number>('dump', [options])) {
        if (typeof part === 'number') return part
        await output.writeFile(part)
      }
      return 0
    } finally {
      await output.close()
    }
  })
}
