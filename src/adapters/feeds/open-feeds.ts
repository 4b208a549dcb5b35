import { realpath } from 'node:fs/promises'
import { isAbsolute, relative } from 'node:path'
import { ConfigurationError } from '../../base/crawl-error.ts'
import type { ItemLog, LoggedItem, TableWriter } from '../../domain/frontier/item-log.ts'
import { type Feed, type FeedNotice, type FeedSource, PAGE_ITEMS } from './feed.ts'
import { prepareFeedPath } from './feed-path.ts'
import { type FeedState, type FeedStates, FIRST_STATE } from './feed-states.ts'
import {
  type FeedTarget,
  type FilePlan,
  type ItemWriter,
  type OutputPlan,
  type ParsedTarget,
  parseFeedTarget,
} from './feed-target.ts'
import { FileFeed } from './file-feed.ts'
import { type FeedOutput, OutputFeed } from './output-feed.ts'
import { appendToFeed, resumeFeed } from './resume-feed.ts'
import { TableFeed } from './table-feed.ts'

export interface OpenFeedsOptions {
  /** Where `feeds.json` is: the crawl directory. `undefined`: a crawl that is forgotten at its end; targets are written anew. */
  readonly directory: string | undefined
  /** For targets that do not say: replace a file that is there and was not written by this crawl. @default without a crawl directory */
  readonly overwrite?: boolean
  /** For the target `-`. */
  readonly output: FeedOutput
  /** For Parquet. */
  readonly writeTable: TableWriter
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
  for (const target of targets) plans.push(await planned(parseFeedTarget(target), options.directory))
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
}

async function planned(parsed: ParsedTarget, directory: string | undefined): Promise<Plan> {
  switch (parsed.kind) {
    case 'writer':
      return { target: parsed.writer.name, key: `writer:${parsed.writer.name}`, parsed }
    case 'output':
      return { target: 'the standard output', key: '-', parsed }
    case 'file': {
      const path = await prepareFeedPath(parsed.path)
      return { target: parsed.path, key: await keyOf(path, directory), parsed: { ...parsed, path } }
    }
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
  { target, parsed }: Plan,
  source: FeedSource,
  state: FeedState | undefined,
  options: OpenFeedsOptions,
): Promise<Feed> {
  switch (parsed.kind) {
    case 'writer':
      return new WriterFeed(parsed.writer, state)
    case 'output':
      return openOutput(target, parsed, source, options)
    case 'file':
      return openFile(target, parsed, source, state, options)
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
  const overwrite = plan.overwrite ?? options.overwrite ?? options.directory === undefined
  if (isOnlyCopy) checkAppendable(target, plan)
  const { state, anew } = isOnlyCopy
    ? await appendToFeed(plan, remembered, overwrite)
    : await resumeFeed(plan, remembered, overwrite)
  if (anew !== undefined)
    onNotice?.({ target, kind: 'written-anew', message: `${target}: ${anew}; it is written anew` })
  const { format } = plan
  return format === 'parquet'
    ? new TableFeed(plan, state, source, writeTable)
    : new FileFeed({ ...plan, format }, state, schemaFields)
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
