import type { Clock } from '../../base/clock.ts'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import { createJudge } from '../../domain/crawldb/create-judge.ts'
import type {
  Merge,
  MergeResult,
  SegmentMergeOptions,
  SegmentMerger,
} from '../../domain/segment/segment-merger.ts'
import type { SegmentStore } from '../../domain/segment/segment-store.ts'
import type { UrlNormalizer } from '../../domain/url/normalize-url.ts'
import type { DecidingFilter } from '../../domain/url/url-filter.ts'

export interface MergeSegmentsOptions {
  /** @default all */
  readonly names?: readonly string[]
  /** Drops URLs and link targets that it rejects. @default none are dropped */
  readonly filter?: DecidingFilter
  /** @default URLs stay as they are */
  readonly normalize?: UrlNormalizer
  /** URLs in each new segment. @default all in one */
  readonly slice?: number
  /** Merge again what was merged in the same way before. @default false */
  readonly again?: boolean
  /** Called with the new segments before they get their names, so that no crash leaves a segment that the CrawlDb does not know. */
  readonly onWritten?: SegmentMergeOptions['onWritten']
  /** Interrupts it before `onWritten`: then it fails and nothing is changed. */
  readonly signal?: AbortSignal
}

export interface MergeSegmentsResult extends MergeResult {
  /** `true`: nothing was written, as these segments were merged before; `segments` are those of that time. */
  readonly already: boolean
}

/**
 * Merges segments into new ones; the old ones stay. The same call after a crash finds the segments that are merged already.
 * @throws ConfigurationError if a segment is not fetched completely: the rest of its list would be lost
 */
export async function mergeSegments(
  segments: SegmentStore & SegmentMerger,
  clock: Clock,
  { names, filter, normalize, slice, again = false, onWritten, signal }: MergeSegmentsOptions = {},
): Promise<MergeSegmentsResult> {
  const present = await segments.list()
  const sources = names ?? present
  const how = [filter && 'filter', normalize && 'normalize', slice && `slice ${slice}`]
    .filter(Boolean)
    .join(', ')
  const before = again ? undefined : sameMerge(await segments.merges(), sources, present, how)
  if (before !== undefined) {
    const infos = await Promise.all(before.into.map((name) => segments.info(name)))
    const pages = infos.reduce((sum, { fetched }) => sum + fetched, 0)
    return { segments: before.into, pages, dropped: 0, already: true }
  }
  for (const name of sources) {
    if ((await segments.info(name)).complete) continue
    throw new ConfigurationError(
      'SEGMENT_UNUSABLE',
      `segment ${name} is not fetched completely: fetch it first, or leave it out`,
    )
  }
  if (sources.length === 0) return { segments: [], pages: 0, dropped: 0, already: false }
  const judge = createJudge(withoutUndefined({ filter, normalize }))
  const rewrite = (url: string) => {
    const verdict = judge(url)
    return verdict.ok ? verdict.url : undefined
  }
  const merged = await segments.merge(sources, {
    now: clock.now(),
    how,
    ...withoutUndefined({ urlsPerSegment: slice, onWritten, signal }),
    ...((filter !== undefined || normalize !== undefined) && { rewrite }),
  })
  return { ...merged, already: false }
}

/** An earlier merge of the same `sources` with the same options. Its own new segments and deleted ones do not count. */
function sameMerge(
  merges: readonly Merge[],
  sources: readonly string[],
  present: readonly string[],
  how: string,
): Merge | undefined {
  return merges.find((merge) => {
    const others = sources.filter((name) => !merge.into.includes(name))
    const left = merge.from.filter((name) => present.includes(name))
    return merge.how === how && others.length === left.length && left.every((name) => others.includes(name))
  })
}
