import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { buildRules, type Rules } from '../adapters/config/build-rules.ts'
import type { OrbweaverConfig, Settings } from '../adapters/config/config-schema.ts'
import { loadSettings, type SettingsSource } from '../adapters/config/load-settings.ts'
import { settingsSource } from '../adapters/config/settings-source.ts'
import { CrawlDirectoryMissing } from '../adapters/crawl-directory/crawl-directory-error.ts'
import { ENGINE_FILE } from '../adapters/crawl-directory/engine-file.ts'
import type { CrawlDirectory } from '../adapters/duckdb/open-crawl-directory.ts'
import { ParquetSegments } from '../adapters/duckdb/segments/parquet-segments.ts'
import { steadyClock, wallClock } from '../base/clock.ts'
import { ConfigurationError } from '../base/crawl-error.ts'
import type { EventLog } from '../base/event-log.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { UpdateRules } from '../domain/crawldb/update-record.ts'
import type { ObjectStore } from '../domain/object-store/object-store.ts'
import type { SegmentStore } from '../domain/segment/segment-store.ts'
import { openWithEngine } from './crawl-engine.ts'
import { openCrawlSegments } from './crawl-segments.ts'
import { rememberedLayer } from './remembered-layer.ts'
import { type EventReceivers, openRunLog } from './run-log.ts'

/** An open crawl directory with its settings and rules. */
export interface CrawlSession extends CrawlDirectory {
  readonly segments: ParquetSegments
  /** The object store of the segments; absent: they are in the directory. */
  readonly store?: ObjectStore
  readonly source: SettingsSource
  readonly settings: Settings
  readonly rules: Rules
  /** One URL per host with a seed. `filters.scope` is relative to them. */
  readonly seeds: readonly string[]
  readonly log: EventLog
}

export interface SessionOptions {
  /** The crawl directory. */
  readonly dir: string
  /** Settings that override the environment and the configuration file. @default none */
  readonly settings?: OrbweaverConfig
  /** The path of a configuration file. @default orbweaver.config.* in the usual places */
  readonly configFile?: string
  /** The operation, for the message that other processes get while the directory is locked. */
  readonly command: string
  /** Override the lock held by another process. @default false */
  readonly force?: boolean
  /** Whether a configuration file that is code may be loaded from the current directory. @default only if the crawl is opened for writing */
  readonly loadsCode?: boolean
  /** Whether settings that the directory remembers of the last run apply. @default true */
  readonly rememberedSettings?: boolean
  /** Only for reading: whether the database may write files, as for a dump. @default false */
  readonly writesFiles?: boolean
  /** @default events are dropped */
  readonly receivers?: EventReceivers
}

/** `create`: for writing, and the directory is created on first use. `write`: it must exist. `read`: without a lock, through the process that owns the crawl if there is one. */
export type SessionMode = 'create' | 'write' | 'read'

/**
 * Opens a crawl directory.
 * @throws CrawlDirectoryMissing, CrawlDirectoryLocked, ConfigurationError
 */
export async function openCrawlSession(options: SessionOptions, mode: SessionMode): Promise<CrawlSession> {
  const { dir, command, force = false, writesFiles = false, receivers = {} } = options
  if (statSync(dir, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new ConfigurationError('OPTION_INVALID', `${dir} is a file; give a directory for the crawl`)
  const exclusive = mode !== 'read'
  const { source, settings } = await sessionSettings({ loadsCode: exclusive, ...options })
  if (mode === 'write' && !['crawldb.duckdb', ENGINE_FILE].some((file) => existsSync(join(dir, file))))
    throw new CrawlDirectoryMissing(`there is no crawl in ${dir}: create one with orbweaver inject`)
  const memory = withoutUndefined({ memoryMb: settings.memoryMb })
  const closers: Array<() => unknown> = []
  const close = async () => {
    for (const closeOne of closers.splice(0).reverse()) await closeOne()
  }
  try {
    const log = openRunLog(settings.log, receivers)
    closers.push(() => log.close())
    const { folder, store, writer, ...place } = await openCrawlSegments(
      dir,
      settings,
      exclusive ? 'own' : 'read',
      {
        log,
      },
    )
    closers.push(() => place.close())
    const directory = await openWithEngine(
      dir,
      { ...{ command, force, writesFiles, log, segmentFolder: folder, ...memory }, source, settings },
      exclusive,
    )
    closers.push(() => directory.close())
    const segments = await ParquetSegments.open(dir, {
      ...{ ...memory, exclusive, folder, ...withoutUndefined({ writer, connect: directory.connect }) },
    })
    closers.push(() => segments.close())
    return {
      ...{ ...directory, ...withoutUndefined({ store }), log, segments, source, settings },
      ...(await seedRules(directory, settings)),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Calls `work` with a session for an existing crawl. @throws CrawlDirectoryMissing */
export function withCrawl<T>(
  options: SessionOptions,
  work: (session: CrawlSession) => Promise<T>,
): Promise<T> {
  return withSession(options, 'write', work)
}

/** Calls `work` with a session that only reads. */
export function withCrawlToRead<T>(
  options: SessionOptions,
  work: (session: CrawlSession) => Promise<T>,
): Promise<T> {
  return withSession(options, 'read', work)
}

async function withSession<T>(
  options: SessionOptions,
  mode: SessionMode,
  work: (session: CrawlSession) => Promise<T>,
): Promise<T> {
  const session = await openCrawlSession(options, mode)
  try {
    return await work(session)
  } finally {
    await session.close()
  }
}

/** Loads the settings of a crawl directory. Errors in rules are reported here, before anything is opened. */
export async function sessionSettings({
  dir,
  settings: flags = {},
  configFile,
  loadsCode,
  rememberedSettings = true,
}: Pick<SessionOptions, 'dir' | 'settings' | 'configFile' | 'loadsCode' | 'rememberedSettings'>): Promise<{
  readonly source: SettingsSource
  readonly settings: Settings
}> {
  const last = rememberedSettings ? await rememberedLayer(dir) : {}
  const source = {
    ...settingsSource({
      ...withoutUndefined({ named: configFile ?? last.configFile, loadsCode }),
      crawlDirectory: dir,
      currentDirectory: process.cwd(),
      env: process.env,
      flags,
    }),
    ...withoutUndefined({ remembered: last.remembered }),
  }
  const settings = await loadSettings(source)
  buildRules(settings, { clock: steadyClock })
  return { source, settings }
}

/** The seeds of the CrawlDb and the rules that depend on them; to be read again after an inject. */
export async function seedRules(
  { db }: Pick<CrawlDirectory, 'db'>,
  settings: Settings,
): Promise<Pick<CrawlSession, 'seeds' | 'rules'>> {
  const seeds = await db.seeds()
  return { seeds, rules: buildRules(settings, { clock: wallClock, seeds }) }
}

export function updateRules({ settings, rules }: Pick<CrawlSession, 'settings' | 'rules'>): UpdateRules {
  const { schedule, scoring, orphans } = rules
  return {
    ...{
      schedule,
      scoring,
      retryMax: settings.limits.retryMax,
      inheritedKeys: settings.links.inheritMetadata,
    },
    ...withoutUndefined({ orphans }),
  }
}

/**
 * The named segments; without a name, all. The path of a segment's directory is accepted, too, as shells complete it.
 * @throws ConfigurationError if one does not exist
 */
export async function chosenSegments(
  segments: Pick<SegmentStore, 'list'>,
  named: readonly string[] = [],
): Promise<string[]> {
  const present = await segments.list()
  if (named.length === 0) return present
  const wanted = [...new Set(named.map(segmentName))]
  const missing = wanted.find((name) => !present.includes(name))
  if (missing === undefined) return wanted
  throw new ConfigurationError('SEGMENT_UNUSABLE', `there is no segment ${missing}${presentText(present)}`)
}

function segmentName(named: string): string {
  return named.replace(/\/+$/, '').split('/').at(-1) ?? named
}

const MAX_NAMES = 5

function presentText(present: readonly string[]): string {
  if (present.length === 0) return ': there is none yet; orbweaver generate makes one'
  const last = present.slice(-MAX_NAMES).join(', ')
  return present.length > MAX_NAMES
    ? `; the last of ${present.length} are ${last}`
    : `; there ${present.length === 1 ? 'is' : 'are'} ${last}`
}
