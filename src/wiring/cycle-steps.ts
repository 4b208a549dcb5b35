import { buildRules, type Rules } from '../adapters/config/build-rules.ts'
import { rememberPrivateHosts } from '../adapters/http/private-hosts-file.ts'
import { resolveBySystem } from '../adapters/http/resolve.ts'
import { steadyClock, wallClock } from '../base/clock.ts'
import { ConfigurationError } from '../base/crawl-error.ts'
import { logEvent } from '../base/event-codes.ts'
import type { EventLog } from '../base/event-log.ts'
import { Interrupted, keeping } from '../base/interrupted.ts'
import { printable } from '../base/printable.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { MergedRecords } from '../domain/crawldb/crawl-db.ts'
import type { JudgeUrl } from '../domain/crawldb/crawl-db-requests.ts'
import { createJudge } from '../domain/crawldb/create-judge.ts'
import type { InvertResult } from '../domain/crawldb/link-db.ts'
import type { SegmentStore } from '../domain/segment/segment-store.ts'
import { hostOf } from '../domain/url/host-of.ts'
import type { FetchResult } from '../flows/cycle/fetch-result.ts'
import { fetchSegment } from '../flows/cycle/fetch-segment.ts'
import { type InjectSummary, inject } from '../flows/cycle/inject.ts'
import { mergeSegments } from '../flows/cycle/merge-segments.ts'
import { type ParseResult, parseSegment } from '../flows/cycle/parse-segment.ts'
import { type SeedSource, seedSources } from '../flows/cycle/read-seeds.ts'
import { freeLostSegments } from '../flows/cycle/unfinished-segments.ts'
import { checkMergeSources } from './check-merge-sources.ts'
import { type CrawlSession, chosenSegments, seedRules, updateRules } from './crawl-session.ts'
import { logSegment } from './cycle-events.ts'
import type {
  FetchStepOptions,
  FreegenOptions,
  FreegenResult,
  GeneratedLists,
  GenerateOptions,
  InjectSeedsOptions,
  InvertLinksOptions,
  MergeDbOptions,
  MergedSegments,
  MergeLinkDbOptions,
  MergeOptions,
  ParseStepOptions,
  Seeds,
  UpdatedDb,
  UpdateOptions,
} from './cycle-options.ts'
import { pageParser, withFetching } from './fetch-session.ts'
import { withLiveCycle } from './live-cycle.ts'
import { hostLimit, listOptions } from './run-cycle.ts'
import { allWatchers } from './settings-watchers.ts'

/** The steps of the cycle, each on an open crawl: one transaction of the CrawlDb, or one segment. */

/**
 * @param onUrl called with the normal form of each accepted seed
 * @returns the summary, and the session with the rules of the new seeds
 */
export async function injectStep(
  session: CrawlSession,
  seeds: Seeds,
  { existing = 'keep', filter = true, normalize = true, signal }: InjectSeedsOptions,
  log: EventLog,
  onUrl?: (url: string) => void,
): Promise<{ readonly summary: InjectSummary; readonly session: CrawlSession }> {
  const { db, settings, path } = session
  // The seeds define the scope, so the scope filter does not apply to them.
  const rules = buildRules(settings, { clock: wallClock })
  const judge = judgeBy(rules, normalize, filter)
  const summary = await inject(db, sourcesOf(seeds, log), {
    rules: { schedule: rules.schedule, scoring: rules.scoring, existing },
    judge: onUrl === undefined ? judge : reportAccepted(judge, onUrl),
    now: wallClock.now(),
    ...withoutUndefined({ signal }),
  })
  const changed = { ...session, ...(await seedRules(session, settings)) }
  // Names that are looked up while this is off would count as private names when it is on.
  if (settings.http.allowPrivateSeeds)
    await rememberPrivateHosts(path, session.seeds.map(hostOf), changed.seeds.map(hostOf))
  return { summary, session: changed }
}

function reportAccepted(judge: JudgeUrl, onUrl: (url: string) => void): JudgeUrl {
  const reporting: JudgeUrl = (url) => {
    const verdict = judge(url)
    if (verdict.ok) onUrl(verdict.url)
    return verdict
  }
  return Object.assign(reporting, withoutUndefined({ steps: judge.steps }))
}

function judgeBy(
  rules: Pick<Rules, 'normalize' | 'filter'>,
  normalizes: boolean,
  filters: boolean,
): ReturnType<typeof createJudge> {
  const { normalize, filter } = rules
  return createJudge({ ...(normalizes && { normalize }), ...(filters && { filter }) })
}

function sourcesOf(seeds: Seeds, log: EventLog): AsyncIterable<SeedSource> {
  if (typeof seeds === 'string') return seedLines([seeds])
  if (!('files' in seeds)) return seedLines(seeds)
  return seedSources(seeds.files, seeds.input ?? noInput(), (directory) =>
    logEvent(log, 'SEED_DIRECTORY_SKIPPED', `note: ${printable(directory)} is a subdirectory and is skipped`),
  )
}

async function* seedLines(lines: Iterable<string> | AsyncIterable<string>): AsyncGenerator<SeedSource> {
  yield { name: 'seeds', text: encodedLines(lines) }
}

async function* encodedLines(lines: Iterable<string> | AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  for await (const line of lines) yield encoder.encode(`${line}\n`)
}

async function* noInput(): AsyncGenerator<Uint8Array> {}

export async function generateStep(
  { db, rules, settings }: CrawlSession,
  options: GenerateOptions,
): Promise<GeneratedLists> {
  const { schedule, scoring } = rules
  const { numFetchers, addDays, maxNumSegments, partition, normalize = true, filter = true, signal } = options
  const request = {
    ...listOptions(options),
    ...hostLimit(settings),
    ...withoutUndefined({ numFetchers, addDays, maxNumSegments, partition, signal }),
    ...{ now: wallClock.now(), maxIntervalSeconds: schedule.maxIntervalSeconds, scoring },
    ...withoutUndefined({ novelty: rules.novelty }),
    resolve: firstAddress,
    judge: judgeBy(rules, normalize, filter),
  }
  const generated = await db.generate(request)
  const due = await db.countDue(request.now, request.maxIntervalSeconds)
  const rejected = Object.values(generated.rejected).reduce((sum, n) => sum + n, 0)
  const waiting = await db.hostWaits(request.now)
  return { ...generated, leftOut: Math.max(0, due - rejected - (generated.held ?? 0)), waiting }
}

/** Adds the URLs that are new, and writes all of them to one segment. */
export async function freegenStep(
  session: CrawlSession,
  seeds: Seeds,
  { filter = true, normalize = true, numFetchers, partition, signal }: FreegenOptions,
  log: EventLog,
): Promise<{ readonly result: FreegenResult; readonly session: CrawlSession }> {
  const urls = new Set<string>()
  const injecting = { filter, normalize, ...withoutUndefined({ signal }) }
  const injected = await injectStep(session, seeds, injecting, log, (url) => urls.add(url))
  const { db, rules } = injected.session
  const request = {
    ...{ now: wallClock.now(), maxIntervalSeconds: rules.schedule.maxIntervalSeconds },
    ...{ scoring: rules.scoring, resolve: firstAddress, urls: [...urls] },
    ...withoutUndefined({ numFetchers, partition, signal }),
  }
  const generated = await keeping('new URLs were added to the CrawlDb, no segment was made', () =>
    db.generate(request),
  )
  const result = { ...generated, injected: injected.summary, leftOut: urls.size - generated.selected }
  return { result, session: injected.session }
}

async function firstAddress(host: string): Promise<string | undefined> {
  const found = await resolveBySystem(host)
  return found.ok ? found.addresses[0]?.address : undefined
}

/** `undefined`: every segment is fetched. */
export async function fetchStep(
  session: CrawlSession,
  options: FetchStepOptions,
  log: EventLog,
): Promise<FetchResult | undefined> {
  const { segments } = session
  const name = await unfetchedSegment(session, options.segment)
  if (name === undefined) return undefined
  const { generated, fetched } = await segments.info(name)
  const urls = Math.max(0, generated - fetched)
  const watchers = await allWatchers(options.watchers, session.settings, log)
  options.onStart?.({ segment: name, urls })
  return withLiveCycle(session, 'fetch', { ...options, watchers }, ({ run, history }) =>
    withFetching(session, options, log, async ({ parts, options: fetching }) => {
      history.begun(1, name, urls)
      const result = await fetchSegment(segments, name, { ...parts, watch: run }, fetching, run.signal)
      logSegment(log, result)
      return { ...result, robotsFailures: parts.robots.failures() }
    }),
  )
}

/** The named segment, or the oldest that is not completely fetched. */
export function unfetchedSegment(
  { segments }: Pick<CrawlSession, 'segments'>,
  named: string | undefined,
): Promise<string | undefined> {
  return chosenSegment(segments, named, async (name) => !(await segments.info(name)).complete)
}

/**
 * The named segment, or the oldest that `isWanted`; `undefined` if there is none.
 * @throws ConfigurationError if the crawl has no segment, or not the named one
 */
async function chosenSegment(
  segments: SegmentStore,
  named: string | undefined,
  isWanted: (name: string) => Promise<boolean>,
): Promise<string | undefined> {
  if (named !== undefined) return (await chosenSegments(segments, [named]))[0]
  const names = await segments.list()
  if (names.length === 0)
    throw new ConfigurationError(
      'SEGMENT_UNUSABLE',
      'there is no segment yet: make one with orbweaver generate',
    )
  for (const name of names) if (await isWanted(name)) return name
  return undefined
}

/** `undefined`: every page is parsed. */
export async function parseStep(
  session: CrawlSession,
  { segment, parseThreads = 2, signal }: ParseStepOptions,
): Promise<ParseResult | undefined> {
  const { segments, rules } = session
  const name = await chosenSegment(segments, segment, async (one) => {
    for await (const pages of segments.unparsed(one)) if (pages.length > 0) return true
    return false
  })
  if (name === undefined) return undefined
  const parser = await pageParser(session, parseThreads, steadyClock)
  try {
    const { markFailed } = rules
    return await parseSegment(segments, name, parser, { markFailed, ...withoutUndefined({ signal }) })
  } finally {
    await parser.close()
  }
}

export async function updateStep(session: CrawlSession, options: UpdateOptions): Promise<UpdatedDb> {
  const { db, segments, rules } = session
  const { abandon = false, additions = true, purgeGone = false, purgeOrphans = false } = options
  if (abandon && (options.segments ?? []).length === 0)
    throw new ConfigurationError('OPTION_INVALID', 'abandon (--abandon) needs the names of the segments')
  if (purgeOrphans && rules.orphans === undefined)
    throw new ConfigurationError(
      'OPTION_INVALID',
      'purgeOrphans (--purge-orphans) needs the rule that marks orphans: set orphans.enabled to true in the configuration',
    )
  const { normalize = false, filter = false } = options
  const names = await chosenSegments(segments, options.segments)
  const updated = await db.update({
    segments: names,
    rules: { ...updateRules(session), additionsAllowed: additions },
    ...withoutUndefined({ novelty: session.rules.novelty, signal: options.signal }),
    now: wallClock.now(),
    replan: true,
    ...{ purgeGone, purgeOrphans, force: options.again ?? false },
    ...((normalize || filter) && { judge: judgeBy(rules, normalize, filter) }),
  })
  let freed = await freeLostSegments(db, segments)
  // Results that are not merged yet must not be released.
  if (!abandon || updated.partsLeft !== undefined) return { ...updated, freed }
  for (const name of names) freed += await db.abandon(name)
  return { ...updated, pending: {}, freed }
}

export async function mergeStep(
  { db, segments, rules }: CrawlSession,
  { segments: named, filter, normalize, slice, delete: deletes = false, again = false, signal }: MergeOptions,
): Promise<MergedSegments> {
  const names = await chosenSegments(segments, named)
  let unmerged: readonly string[] = []
  const merged = await mergeSegments(segments, wallClock, {
    names,
    again,
    // The CrawlDb has the results of the old segments, or gets them now. The new segment must not count again.
    onWritten: async (written) => {
      unmerged = await db.adopt(written, names)
    },
    ...(filter === true && { filter: rules.filter }),
    ...(normalize === true && { normalize: rules.normalize }),
    ...withoutUndefined({ slice, signal }),
  })
  // Merged by an earlier run, but the CrawlDb may be a newer one without any results.
  if (merged.already) unmerged = await db.adopt([], names)
  const kept = [...unmerged, ...merged.segments]
  const deleted = deletes ? names.filter((name) => !kept.includes(name)) : []
  for (const name of deleted) await segments.remove(name)
  return { ...merged, deleted, unmerged }
}

/** Each of the other directories is one transaction. */
export async function mergeDbStep(
  session: CrawlSession,
  directories: readonly string[],
  { filter = false, normalize = false, signal }: MergeDbOptions,
): Promise<MergedRecords> {
  checkMergeSources(session.path, directories)
  let sum: MergedRecords = { records: 0, added: 0, replaced: 0 }
  await mergeEach(directories, async (directory) => {
    const { records, added, replaced } = await session.db.mergeRecords(directory, signal)
    sum = { records: sum.records + records, added: sum.added + added, replaced: sum.replaced + replaced }
  })
  if (!filter && !normalize) return sum
  const updating = { segments: [], filter, normalize, ...withoutUndefined({ signal }) }
  const { partsLeft } = await updateStep(session, updating)
  if (partsLeft === undefined) return sum
  throw new Interrupted(
    'interrupted; all crawls are merged, the URLs are not filtered: run the command again',
  )
}

export async function mergeLinkDbStep(
  { links, path }: CrawlSession,
  directories: readonly string[],
  { signal }: MergeLinkDbOptions,
): Promise<number> {
  checkMergeSources(path, directories)
  let added = 0
  await mergeEach(directories, async (directory) => {
    added += await links.mergeLinks(directory, signal)
  })
  return added
}

async function mergeEach(
  directories: readonly string[],
  merge: (directory: string) => Promise<void>,
): Promise<void> {
  for (const [i, directory] of directories.entries()) {
    const kept =
      i === 0 ? 'nothing was changed' : `${directories.slice(0, i).join(', ')} merged, the rest not`
    await keeping(kept, () => merge(directory))
  }
}

export async function invertLinksStep(
  { links, segments }: CrawlSession,
  { segments: named, internal = false, ignoreExternal = false, signal }: InvertLinksOptions,
): Promise<InvertResult> {
  if (ignoreExternal && !internal)
    throw new ConfigurationError(
      'OPTION_INVALID',
      'ignoreExternal (--ignore-external) without internal (--internal) leaves no links',
    )
  return links.invert({
    segments: await chosenSegments(segments, named),
    ignoreInternal: !internal,
    ignoreExternal,
    ...withoutUndefined({ signal }),
  })
}
