import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Settings } from '../adapters/config/config-schema.ts'
import { parseStreamTarget, type StreamTarget } from '../adapters/redis/stream-target.ts'
import { parseIndexTarget } from '../adapters/search-servers/index-target.ts'
import { openIndexWriter } from '../adapters/search-servers/open-index-writer.ts'
import { deleteOlderIndex, indexFile } from '../adapters/sqlite-index/index-file.ts'
import type { SynonymGroups } from '../adapters/sqlite-index/synonyms.ts'
import { WriteBehindWriter } from '../adapters/sqlite-index/write-behind-writer.ts'
import { steadyClock } from '../base/clock.ts'
import { ConfigurationError } from '../base/crawl-error.ts'
import { logEvent } from '../base/event-codes.ts'
import type { EventLog } from '../base/event-log.ts'
import { Interrupted } from '../base/interrupted.ts'
import { printable } from '../base/printable.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import { storedContent } from '../domain/extraction/stored-content.ts'
import type { IndexDocument } from '../domain/indexing/index-document.ts'
import { isRouted } from '../domain/indexing/index-exchange.ts'
import type { IndexLedger } from '../domain/indexing/index-ledger.ts'
import type { IndexWriter } from '../domain/indexing/index-writer.ts'
import type { MainText } from '../domain/indexing/make-document.ts'
import type { RecordedPage } from '../domain/segment/segment-store.ts'
import { type IndexDestination, indexPages, type TargetResult } from '../flows/cycle/index-pages.ts'
import type { CrawlSession } from './crawl-session.ts'
import { logIndexed } from './cycle-events.ts'
import { documentShape } from './document-shape.ts'

/** The name of the index in the crawl directory. */
export const EMBEDDED = 'sqlite'

export interface IndexRequest {
  readonly targets: readonly IndexDestination[]
  readonly segments?: readonly string[]
  readonly all: boolean
  readonly deleteGone: boolean
}

/**
 * Resolves the names of indexes. If the file of an index does not exist, the ledger forgets the index before the file is created, so that
 * a crash in between loses nothing.
 * @throws ConfigurationError for a name that is not an index; nothing is open then
 */
export function indexTargets(
  { path, indexLedger, settings }: Pick<CrawlSession, 'path' | 'indexLedger' | 'settings'>,
  names: readonly string[],
  log: EventLog,
  signal: AbortSignal,
): IndexDestination[] {
  const { targets, exchanges } = settings.index
  checkExchanges(settings.index)
  return [...new Set(names)].map((name) => {
    const named = Object.hasOwn(targets, name) ? targets[name] : undefined
    const destination =
      typeof named === 'function'
        ? { key: name, open: async () => named() }
        : destinationOf(named ?? name, { path, indexLedger, settings }, log, signal)
    const accepts = (document: IndexDocument) => isRouted(document, [name, destination.key], exchanges)
    return exchanges.length === 0 ? destination : { ...destination, accepts }
  })
}

/** @throws ConfigurationError for a document that would go to an index that does not exist */
function checkExchanges({ targets, exchanges }: Settings['index']): void {
  const isIndex = (name: string) => Object.hasOwn(targets, name) || name === EMBEDDED || name.includes(':')
  const unknown = exchanges.flatMap(({ to }) => to).find((name) => !isIndex(name))
  if (unknown === undefined) return
  const names = [...Object.keys(targets), EMBEDDED]
  throw new ConfigurationError(
    'SETTING_INVALID',
    `index.exchanges: there is no index ${JSON.stringify(unknown)}; give one of ${names.join(', ')}, or an index like solr:https://host:8983/solr/core`,
  )
}

function destinationOf(
  text: string,
  { path, indexLedger, settings }: Pick<CrawlSession, 'path' | 'indexLedger' | 'settings'>,
  log: EventLog,
  signal: AbortSignal,
): IndexDestination {
  if (text === EMBEDDED) return embeddedTarget(indexLedger, path, settings.index.synonyms, log)
  const stream = parseStreamTarget(text)
  if (stream !== undefined) return { key: stream.name, open: () => openStream(stream, settings, log, signal) }
  const target = parseIndexTarget(text, process.env)
  const open = () => openIndexWriter(text, { clock: steadyClock, environment: process.env, signal, log })
  if (!('file' in target)) return { key: target.name, open }
  return fileTarget(indexLedger, `${target.kind}:${resolve(target.file)}`, target.file, open)
}

async function openStream(
  target: StreamTarget,
  { redis }: Settings,
  log: EventLog,
  signal: AbortSignal,
): Promise<IndexWriter> {
  // Loaded late: few crawls write to Redis.
  const { openRedisStream } = await import('./redis-stream.ts')
  return openRedisStream(target, redis, log, signal)
}

/** An index of an earlier version of this program is made again. */
function embeddedTarget(
  ledger: IndexLedger,
  path: string,
  synonyms: SynonymGroups,
  log: EventLog,
): IndexDestination {
  const target = fileTarget(ledger, EMBEDDED, indexFile(path), async () =>
    WriteBehindWriter.open(path, { synonyms }),
  )
  return {
    ...target,
    async open() {
      if (deleteOlderIndex(path))
        logEvent(
          log,
          'INDEX_REBUILT',
          'The search index was made by an earlier version: all pages are indexed again',
        )
      return target.open()
    },
  }
}

function fileTarget(
  ledger: IndexLedger,
  key: string,
  file: string,
  open: IndexDestination['open'],
): IndexDestination {
  return {
    key,
    async open() {
      if (!existsSync(file)) await ledger.forget(key)
      return open()
    },
  }
}

/** Updates indexes with the changes of the crawl, after the inlinks of its pages: their anchor texts are indexed. */
export async function indexCrawl(
  session: Pick<CrawlSession, 'indexLedger' | 'settings' | 'rules' | 'links' | 'segments'>,
  { targets, ...request }: IndexRequest,
  log: EventLog,
  signal: AbortSignal,
): Promise<TargetResult[]> {
  const { indexLedger, settings, rules } = session
  const { maxAnchors, content, links, maxLinks, synonyms: _synonyms, ...document } = settings.index
  if (maxAnchors > 0) await invertNewLinks(session, signal)
  const isMain = content === 'main'
  const results = await indexPages(
    indexLedger,
    targets,
    {
      ...request,
      maxAnchors,
      ...(links.includes('inlinks') && { maxInlinks: maxLinks }),
      content: isMain || document.metadata.length > 0 || document.filter !== undefined,
      body: isMain,
      outlinks: links.includes('outlinks') || document.filter !== undefined,
      rules: rulesText(settings),
      document: {
        ...document,
        scoring: rules.scoring,
        ...(isMain && { mainContent }),
        ...withoutUndefined({ shape: await documentShape(settings.index) }),
        ...(links.includes('outlinks') && { maxOutlinks: maxLinks }),
      },
      onProgress: (target, { put }) => {
        if (put > 0 && put % MESSAGE_EVERY === 0)
          logEvent(log, 'INDEX_PROGRESS', `${printable(target)}: ${put} pages indexed`, {
            data: { target, pages: put },
          })
      },
    },
    signal,
  )
  logIndexed(log, results)
  return results
}

const MESSAGE_EVERY = 10_000

/** If it is interrupted, so is the update of each index, whose result says so. */
async function invertNewLinks(
  { links, segments }: Pick<CrawlSession, 'links' | 'segments'>,
  signal: AbortSignal,
): Promise<void> {
  const request = { segments: await segments.list(), ignoreInternal: false, onlyNew: true, signal }
  try {
    await links.invert(request)
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error
  }
}

function mainContent(page: RecordedPage): MainText | undefined {
  const content = storedContent(page)
  if (content === undefined) return undefined
  const { published, modified, byline: author, siteName, description } = content.details()
  return {
    text: content.text(),
    headings: content.headings(),
    details: { published, modified, author, siteName, description },
  }
}

/** Increased when documents get other fields: all pages are then indexed again. */
const DOCUMENT_VERSION = 2

/** The rules for documents as text, so that a change is noticed. Of a function only its own text counts, not the functions it calls. */
function rulesText({
  index: { synonyms: _synonyms, targets: _targets, ...index },
  scoring,
}: Settings): string {
  return JSON.stringify([DOCUMENT_VERSION, index, scoring], (_key, value: unknown) =>
    typeof value === 'function' ? value.toString() : value,
  )
}
