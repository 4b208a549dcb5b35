import type { Clock } from '../base/clock.ts'
import { ConfigurationError } from '../base/crawl-error.ts'
import type { MergeOptions, MergeResult, SegmentMerger } from '../segment/segment-merger.ts'
import type { SegmentStore } from '../segment/segment-store.ts'
import { CandidateUrl } from '../url/candidate-url.ts'
import type { UrlNormalizer } from '../url/normalize-url.ts'
import type { DecidingFilter } from '../url/url-filter.ts'

export interface MergeSegmentsOptions {
  /** @default all */
  readonly names?: readonly string[]
  /** Drops URLs and link targets that it rejects. @default none are dropped */
  readonly filter?: DecidingFilter
  /** @default URLs stay as they are */
  readonly normalize?: UrlNormalizer
  /** URLs in each new segment. @default all in one */
  readonly slice?: number
  /** Told the new segments before they get their names, so that no crash leaves one that nobody knows of. */
  readonly onWritten?: MergeOptions['onWritten']
}

/**
 * Makes one segment of several; the old ones stay.
 * @throws ConfigurationError when a segment is not fetched completely: what remains of its list would be lost
 */
export async function mergeSegments(
  segments: SegmentStore & SegmentMerger,
  clock: Clock,
  { names, filter, normalize, slice, onWritten }: MergeSegmentsOptions = {},
): Promise<MergeResult> {
  const sources = names ?? (await segments.list())
  for (const name of sources) {
    if ((await segments.info(name)).complete) continue
    throw new ConfigurationError(`segment ${name} is not fetched completely: fetch it first, or leave it out`)
  }
  if (sources.length === 0) return { segments: [], pages: 0, dropped: 0 }
  return segments.merge(sources, {
    now: clock.now(),
    ...(slice !== undefined && { urlsPerSegment: slice }),
    ...(onWritten !== undefined && { onWritten }),
    ...((filter !== undefined || normalize !== undefined) && { rewrite: rewriteBy(normalize, filter) }),
  })
}

function rewriteBy(
  normalize: UrlNormalizer | undefined,
  filter: DecidingFilter | undefined,
): (url: string) => string | undefined {
  return (url) => {
    const normalized = normalize?.(url) ?? { ok: true, url }
    if (!normalized.ok) return undefined
    return filter?.judge(new CandidateUrl(normalized.url)).accepted === false ? undefined : normalized.url
  }
}
