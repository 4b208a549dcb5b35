import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { buildRules, type Rules } from '../adapters/config/build-rules.ts'
import type { OrbweaverConfig, Settings } from '../adapters/config/config-schema.ts'
import { loadSettings, type SettingsSource } from '../adapters/config/load-settings.ts'
import { settingsSource } from '../adapters/config/settings-source.ts'
import { CrawlDirectoryMissing } from '../adapters/crawl-directory/crawl-directory-error.ts'
import {
  type CrawlDirectory,
  openCrawlDirectory,
  openCrawlDirectoryToRead,
} from '../adapters/duckdb/open-crawl-directory.ts'
import { ParquetSegments } from '../adapters/duckdb/segments/parquet-segments.ts'
import { steadyClock, wallClock } from '../base/clock.ts'
import { ConfigurationError } from '../base/crawl-error.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { UpdateRules } from '../domain/crawldb/update-record.ts'
import type { CrawlFlags } from './crawl-flags.ts'

/** A crawl directory that is open, with the settings and rules that hold for it. */
export interface CrawlSession extends CrawlDirectory {
  readonly segments: ParquetSegments
  readonly source: SettingsSource
  readonly settings: Settings
  readonly rules: Rules
  /** One URL for each host of a seed: what `filters.scope` is counted from, and hosts that the user named. */
  readonly seeds: readonly string[]
}

export interface SessionRequest {
  readonly dir: string
  readonly flags: CrawlFlags
  /** What the flags set, over environment and file. */
  readonly config: OrbweaverConfig
  /** The command, for the lock. */
  readonly command: string
  /** Whether a configuration file that is code may be loaded from the current directory. @default true to work on a crawl, false to read it */
  readonly loadsCode?: boolean
  /** To read only: whether the database itself writes files, as for a dump. @default false */
  readonly writesFiles?: boolean
}

/** Opens a crawl directory to put seeds in; it is created on first use. */
export async function withNewCrawl<T>(
  request: SessionRequest,
  work: (session: CrawlSession) => Promise<T>,
): Promise<T> {
  return withDirectory(request, openCrawlDirectory, true, work)
}

/** Opens a crawl directory to work on it. @throws CrawlDirectoryMissing rather than create one of a misspelt name */
export async function withCrawl<T>(
  request: SessionRequest,
  work: (session: CrawlSession) => Promise<T>,
): Promise<T> {
  return withDirectory(request, openExisting, true, work)
}

/** Opens a crawl directory to look at it. */
export async function withCrawlToRead<T>(
  request: SessionRequest,
  work: (session: CrawlSession) => Promise<T>,
): Promise<T> {
  return withDirectory(request, openCrawlDirectoryToRead, false, work)
}

const openExisting: typeof openCrawlDirectory = async (path, options) => {
  if (!existsSync(join(path, 'crawldb.duckdb')))
    throw new CrawlDirectoryMissing(`there is no crawl in ${path}: orbweaver inject begins one`)
  return openCrawlDirectory(path, options)
}

/** @param exclusive whether `open` takes the lock */
async function withDirectory<T>(
  { dir, flags, config, command, loadsCode, writesFiles = false }: SessionRequest,
  open: typeof openCrawlDirectory,
  exclusive: boolean,
  work: (session: CrawlSession) => Promise<T>,
): Promise<T> {
  if (statSync(dir, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new ConfigurationError('OPTION_INVALID', `${dir} is a file; give a directory for the crawl`)
  const source = settingsSource({
    ...withoutUndefined({ named: flags.config }),
    crawlDirectory: dir,
    currentDirectory: process.cwd(),
    env: process.env,
    flags: config,
    loadsCode: loadsCode ?? exclusive,
  })
  const settings = await loadSettings(source)
  // A mistake in the rules is told before anything is opened.
  buildRules(settings, { clock: steadyClock })
  const memory = settings.memoryMb === undefined ? {} : { memoryMb: settings.memoryMb }
  const directory = await open(dir, { command, force: flags.force, writesFiles, ...memory })
  try {
    const segments = await ParquetSegments.open(dir, { ...memory, exclusive })
    try {
      return await work({ ...directory, segments, source, settings, ...(await scope(directory, settings)) })
    } finally {
      segments.close()
    }
  } finally {
    await directory.close()
  }
}

/** The session once seeds were injected: its scope is made of them, too. */
export async function withNewSeeds(session: CrawlSession): Promise<CrawlSession> {
  return { ...session, ...(await scope(session, session.settings)) }
}

async function scope(
  { db }: Pick<CrawlDirectory, 'db'>,
  settings: Settings,
): Promise<Pick<CrawlSession, 'seeds' | 'rules'>> {
  const seeds = await db.seeds()
  return { seeds, rules: buildRules(settings, { clock: wallClock, seeds }) }
}

export function updateRules({ settings, rules }: Pick<CrawlSession, 'settings' | 'rules'>): UpdateRules {
  const { schedule, scoring, orphans } = rules
  return { schedule, scoring, retryMax: settings.limits.retryMax, ...withoutUndefined({ orphans }) }
}
