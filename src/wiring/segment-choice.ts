import { ConfigurationError } from '../base/crawl-error.ts'
import type { SegmentStore } from '../domain/segment/segment-store.ts'

/**
 * The segments that a user named, or all when there is no name. A name may be given as the path of its directory too, as shells
 * complete it.
 * @throws ConfigurationError when one of them is not there
 */
export async function chosenSegments(
  segments: Pick<SegmentStore, 'list'>,
  named: readonly string[] = [],
): Promise<string[]> {
  const there = await segments.list()
  if (named.length === 0) return there
  const wanted = [...new Set(named.map(segmentName))]
  const missing = wanted.find((name) => !there.includes(name))
  if (missing === undefined) return wanted
  throw new ConfigurationError('SEGMENT_UNUSABLE', `there is no segment ${missing}${others(there)}`)
}

/**
 * The one segment that a command works on: the one named, or the oldest that `isWanted`; `undefined` when none is.
 * @throws ConfigurationError when there is no segment at all, or not that one
 */
export async function chosenSegment(
  segments: SegmentStore,
  named: string | undefined,
  isWanted: (name: string) => Promise<boolean>,
): Promise<string | undefined> {
  const names = await chosenSegments(segments, named === undefined ? [] : [named])
  if (named !== undefined) return names[0]
  if (names.length === 0)
    throw new ConfigurationError(
      'SEGMENT_UNUSABLE',
      'there is no segment yet: make one with orbweaver generate',
    )
  for (const name of names) if (await isWanted(name)) return name
  return undefined
}

export async function isUnfetched(segments: SegmentStore, name: string): Promise<boolean> {
  return !(await segments.info(name)).complete
}

export async function isUnparsed(segments: SegmentStore, name: string): Promise<boolean> {
  for await (const pages of segments.unparsed(name)) if (pages.length > 0) return true
  return false
}

function segmentName(named: string): string {
  return named.replace(/\/+$/, '').split('/').at(-1) ?? named
}

const NAMES_TOLD = 5

function others(there: readonly string[]): string {
  if (there.length === 0) return ': there is none yet; orbweaver generate makes one'
  const last = there.slice(-NAMES_TOLD).join(', ')
  return there.length > NAMES_TOLD
    ? `; the last of ${there.length} are ${last}`
    : `; there ${there.length === 1 ? 'is' : 'are'} ${last}`
}
