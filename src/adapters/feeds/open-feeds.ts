import { realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative } from 'node:path'
import type { Clock } from '../../base/clock.ts'
import { ConfigurationError } from '../../base/crawl-error.ts'
import type { ItemLog, LoggedItem, TableWriter } from '../../domain/frontier/item-log.ts'
import type { ObjectStore } from '../../domain/object-store/object-store.ts'
import { type Feed, type FeedNotice, type FeedSource, PAGE_ITEMS } from './feed.ts'
import { isFeedFile, prepareFeedPath } from './feed-path.ts'
import { type FeedState, type FeedStates, FIRST_STATE } from './feed-states.ts'
import {
  BATCH,
  type FeedTarget,
  type FilePlan,
  type ItemWriter,
  type OutputPlan,
  type ParsedTarget,
  parseFeedTarget,
  TIME,
} from './feed-target.ts'
import { FileFeed } from './file-feed.ts'
import { ObjectFeed } from './object-feed.ts'
import { type FeedOutput, OutputFeed } from './output-feed.ts'
import { appendToFeed, resumeFeed } from './resume-feed.ts'
import { stagingFolder } from './staging-folder.ts'
import { TableFeed } from './table-feed.ts'

export interface OpenFeedsOptions {
  readonly clock: Clock
  /** Where `feeds.json` is: the crawl directory. `undefined`: a crawl that is forgotten at its end; targets are written anew. */
  readonly directory: string | undefined
  /** For targets that do not say: replace a file that is there and was not written by this crawl. @default without a crawl directory */
  readonly overwrite?: boolean
  /** For the target `-`. */
  readonly output: FeedOutput
  /** For Parquet. */
  readonly writeTable: TableWriter
  /** For targets like `s3://bucket/items.jsonl`: opens a folder of a bucket. */
  readonly openStore: (url: string) => Promise<ObjectStore>
  /** The fields that the schema names, in its order: the first columns of CSV. @default none */
  readonly schemaFields?: readonly string[]
  readonly onNotice?: (notice: FeedNotice) => void
  /**
   * Items are not in the log any more when they are written: a file is gone on with, and never written anew. What cannot be written so,
   * Parquet and CSV without `fields`, is refused. @default false
   */
  readonly isOnlyCopy?: boolean
}

export interface OpenFeed {
  /** As the user named it. */
  readonly target: string
  /** Of its state. */
  readonly key: string
  readonly feed: Feed
  /** What it follows; feeds of one log share it. */
  readonly source: FeedSource
}

/** Opens each target as a feed and resumes it. @throws ConfigurationError */
export async function openFeeds(
  log: ItemLog,
  targets: readonly FeedTarget[],
  states: Pick<FeedStates, 'get'>,
  options: OpenFeedsOptions,
): Promise<OpenFeed[]> {
  const plans: Plan[] = []
  for (const target of targets) plans.push(await planned(parseFeedTarget(target), options))
  // Before any of them is touched.
  checkDifferent(plans)
  const sources = { items: itemsOf(log), rejected: rejectionsOf(log) }
  const feeds: OpenFeed[] = []
  for (const plan of plans) {
    const { target, key, parsed } = plan
    const source = sources[parsed.kind === 'writer' ? 'items' : parsed.from]
    feeds.push({ target, key, source, feed: await openFeed(plan, source, states.get(key), options) })
  }
  return feeds
}

interface Plan {
  readonly target: string
  readonly key: string
  /** With the real path. */
  readonly parsed: ParsedTarget
  /** Removed at the end of the run. */
  readonly temporaryFolder?: string
}

async function planned(parsed: ParsedTarget, options: OpenFeedsOptions): Promise<Plan> {
  switch (parsed.kind) {
    case 'writer':
      return { target: parsed.writer.name, key: `writer:${parsed.writer.name}`, parsed }
    case 'output':
      return { target: 'the standard output', key: '-', parsed }
    case 'file': {
      if (parsed.objectUrl !== undefined) return plannedObject(parsed, parsed.objectUrl, options)
      const path = await prepareFeedPath(parsed.path)
      return { target: parsed.path, key: await keyOf(path, options.directory), parsed: { ...parsed, path } }
    }
  }
}

async function plannedObject(
  parsed: FilePlan,
  objectUrl: string,
  { directory, isOnlyCopy = false }: OpenFeedsOptions,
): Promise<Plan> {
  const { folder, isTemporary } = await stagingFolder(directory, isOnlyCopy)
  const path = await prepareFeedPath(join(folder, objectUrl.slice('s3://'.length)))
  return {
    ...{ target: parsed.path, key: objectUrl, parsed: { ...parsed, path } },
    ...(isTemporary && { temporaryFolder: folder }),
  }
}

/** Relative where it is inside, so that a crawl directory can be moved with its exports. */
async function keyOf(path: string, directory: string | undefined): Promise<string> {
  if (directory === undefined) return path
  const inside = relative(await realpath(directory), path)
  return inside.startsWith('..') || isAbsolute(inside) ? path : inside
}

function checkDifferent(plans: readonly Plan[]): void {
  const seen = new Map<string, Plan>()
  for (const plan of plans) {
    const other = seen.get(plan.key)
    if (other !== undefined)
      throw new ConfigurationError(
        'EXPORT_INVALID',
        `two exports go to ${plan.target}${other.target === plan.target ? '' : ` (also written ${other.target})`}: give each its own`,
      )
    seen.set(plan.key, plan)
  }
}

async function openFeed(
  plan: Plan,
  source: FeedSource,
  state: FeedState | undefined,
  options: OpenFeedsOptions,
): Promise<Feed> {
  const { target, parsed } = plan
  switch (parsed.kind) {
    case 'writer':
      return new WriterFeed(parsed.writer, state)
    case 'output':
      return openOutput(target, parsed, source, options)
    case 'file':
      return parsed.objectUrl === undefined
        ? openFile(target, parsed, source, state, options)
        : openObject(plan, parsed, parsed.objectUrl, source, state, options)
  }
}

async function openOutput(
  target: string,
  plan: OutputPlan,
  source: FeedSource,
  { output, schemaFields = [], onNotice }: OpenFeedsOptions,
): Promise<Feed> {
  const onFieldsLeftOut = (fields: readonly string[]) =>
    onNotice?.({
      target,
      kind: 'fields-left-out',
      message: `${target}: the columns are settled, so that ${fields.join(', ')} of later items cannot be shown; name all with fields, or use jsonl`,
    })
  return new OutputFeed(plan, await logEnd(source), output, schemaFields, onFieldsLeftOut)
}

async function openFile(
  target: string,
  plan: FilePlan,
  source: FeedSource,
  remembered: FeedState | undefined,
  options: OpenFeedsOptions,
): Promise<Feed> {
  const { schemaFields = [], writeTable, onNotice, isOnlyCopy = false } = options
  const overwrite = mayOverwrite(plan, options)
  if (isOnlyCopy) checkAppendable(target, plan)
  const { state, anew } = isOnlyCopy
    ? await appendToFeed(plan, remembered, overwrite)
    : await resumeFeed(plan, remembered, overwrite)
  if (anew !== undefined)
    onNotice?.({ target, kind: 'written-anew', message: `${target}: ${anew}; it is written anew` })
  const { format } = plan
  const timed = plan.path.includes(TIME) ? { time: Math.floor(options.clock.now()), ...state } : state
  return format === 'parquet'
    ? new TableFeed(plan, timed, source, writeTable)
    : new FileFeed({ ...plan, format }, timed, schemaFields)
}

/** Writes to a local folder, whose files are ours, and puts them into the bucket, whose objects may be of others. */
async function openObject(
  { target, temporaryFolder }: Plan,
  plan: FilePlan,
  objectUrl: string,
  source: FeedSource,
  remembered: FeedState | undefined,
  options: OpenFeedsOptions,
): Promise<Feed> {
  const store = await options.openStore(dirname(objectUrl))
  try {
    // Both report a wrong bucket or a missing permission before the crawl starts.
    await store.checkPut(basename(objectUrl))
    const existing = await existingObjects(store, basename(objectUrl))
    if (remembered === undefined && existing.length > 0 && !mayOverwrite(plan, options))
      throw new ConfigurationError(
        'EXPORT_INVALID',
        `${store.url}/${existing[0]} is there, and this crawl has not written it: move it away, name another object, or allow to overwrite it (--overwrite)`,
      )
    const { isOnlyCopy = false } = options
    const feed = await openFile(target, { ...plan, overwrite: !isOnlyCopy }, source, remembered, options)
    // Numbers may be fewer than before. A single object is replaced when the new one is complete.
    if (feed.position === 0 && plan.path.includes(BATCH)) await store.delete(existing)
    return new ObjectFeed({ feed, plan, store, temporaryFolder })
  } catch (error) {
    await store.close()
    throw error
  }
}

/** The names of the objects of a feed, of all batches and all crawls. */
async function existingObjects(store: ObjectStore, name: string): Promise<string[]> {
  const [start = ''] = name.split('{')
  const names: string[] = []
  for await (const { key } of store.list(start)) if (isFeedFile(name, key)) names.push(key)
  return names
}

function mayOverwrite({ overwrite }: FilePlan, options: OpenFeedsOptions): boolean {
  return overwrite ?? options.overwrite ?? options.directory === undefined
}

function checkAppendable(target: string, { format, fields }: FilePlan): void {
  if (format === 'parquet')
    throw new ConfigurationError(
      'EXPORT_INVALID',
      `${target}: nothing can be appended to a Parquet file; items that are taken can go to .jsonl, .json or .csv`,
    )
  if (format === 'csv' && fields === undefined)
    throw new ConfigurationError(
      'EXPORT_INVALID',
      `${target}: the columns must be known before items are taken for CSV: name them (fields), or use .jsonl`,
    )
}

function itemsOf(log: ItemLog): FeedSource {
  return (position, limit) => log.items(position, limit)
}

/** Rejections as if they were items, with what a user needs to mend the spider. */
function rejectionsOf(log: ItemLog): FeedSource {
  return async (after, limit) => {
    const rejections = await log.rejected(after, limit)
    return rejections.map(({ position, url, item, reason }) => ({
      position,
      url,
      item: { reason, url, item },
    }))
  }
}

/** Passes items to a writer of the user, each at least once. */
export class WriterFeed implements Feed {
  readonly ended = false
  readonly #writer: ItemWriter
  #state: FeedState

  constructor(writer: ItemWriter, state: FeedState = FIRST_STATE) {
    this.#writer = writer
    this.#state = state
  }

  get position(): number {
    return this.#state.position
  }

  get state(): FeedState {
    return this.#state
  }

  async take(items: readonly LoggedItem[]): Promise<void> {
    const { batchSize = PAGE_ITEMS } = this.#writer
    for (let i = 0; i < items.length; i += batchSize) {
      const some = items.slice(i, i + batchSize)
      await this.#writer.write(some)
      this.#state = { ...this.#state, position: some.at(-1)?.position ?? this.#state.position }
    }
  }

  async close(): Promise<void> {}
}

/** The position of the newest item, found by binary search. */
export async function logEnd(source: FeedSource): Promise<number> {
  const hasMoreAfter = async (position: number) => (await source(position, 1)).length > 0
  if (!(await hasMoreAfter(0))) return 0
  // Positions are whole numbers: there are items after `low`, and none after `high` once it is found.
  let low = 0
  let high = 1
  while (await hasMoreAfter(high)) {
    low = high
    high *= 2
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (await hasMoreAfter(middle)) low = middle
    else high = middle
  }
  return high
}
