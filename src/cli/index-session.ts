import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Settings } from '../adapters/config/config-schema.ts'
import { parseIndexTarget } from '../adapters/search-servers/index-target.ts'
import { openIndexWriter } from '../adapters/search-servers/open-index-writer.ts'
import { indexFile } from '../adapters/sqlite-index/index-file.ts'
import { SqliteIndexWriter } from '../adapters/sqlite-index/sqlite-index-writer.ts'
import { steadyClock } from '../base/clock.ts'
import type { IndexLedger } from '../domain/indexing/index-ledger.ts'
import { type IndexTarget, indexPages, type TargetResult } from '../flows/cycle/index-pages.ts'
import type { CrawlSession } from './crawl-session.ts'
import { formatCount, printableLine } from './format-values.ts'
import type { Terminal } from './terminal.ts'

/** The index that every crawl can have. */
export const EMBEDDED = 'sqlite'

export interface IndexRequest {
  readonly targets: readonly IndexTarget[]
  readonly segments?: readonly string[]
  readonly all: boolean
  readonly deleteGone: boolean
}

/**
 * The indexes that a user named. One whose file is not there is empty, whatever we remember of it: that is forgotten before the file is made, so
 * that it holds even if the process dies in between.
 * @throws ConfigurationError for what is no index; nothing was opened then
 */
export function indexTargets(
  { path, indexLedger }: Pick<CrawlSession, 'path' | 'indexLedger'>,
  named: readonly string[],
  terminal: Terminal,
): IndexTarget[] {
  return [...new Set(named)].map((text) => {
    if (text === EMBEDDED)
      return fileTarget(indexLedger, EMBEDDED, indexFile(path), async () => SqliteIndexWriter.open(path))
    const target = parseIndexTarget(text, process.env)
    const open = () =>
      openIndexWriter(text, {
        clock: steadyClock,
        environment: process.env,
        signal: terminal.interrupted,
        onMessage: (message) => terminal.err(`${printableLine(message, 500)}\n`),
      })
    if (!('file' in target)) return { key: target.name, open }
    return fileTarget(indexLedger, `${target.kind}:${resolve(target.file)}`, target.file, open)
  })
}

function fileTarget(ledger: IndexLedger, key: string, file: string, open: IndexTarget['open']): IndexTarget {
  return {
    key,
    async open() {
      if (!existsSync(file)) await ledger.forget(key)
      return open()
    },
  }
}

/** Brings indexes up to date with a crawl. */
export function indexCrawl(
  { indexLedger, settings, rules }: Pick<CrawlSession, 'indexLedger' | 'settings' | 'rules'>,
  { targets, ...request }: IndexRequest,
  terminal: Terminal,
): Promise<TargetResult[]> {
  const { maxAnchors, ...document } = settings.index
  return indexPages(
    indexLedger,
    targets,
    {
      ...request,
      maxAnchors,
      rules: rulesText(settings),
      document: { ...document, scoring: rules.scoring },
      onProgress: (target, { put }) => {
        if (put > 0 && put % TOLD_EVERY === 0)
          terminal.err(`${printableLine(target)}: ${formatCount(put, 'page')}\n`)
      },
    },
    terminal.interrupted,
  )
}

const TOLD_EVERY = 10_000

/** What documents are made by, so that a change of it is noticed. Of a function, its own text: what it calls is not looked at. */
function rulesText({ index, scoring }: Settings): string {
  return JSON.stringify([index, scoring], (_key, value: unknown) =>
    typeof value === 'function' ? value.toString() : value,
  )
}
