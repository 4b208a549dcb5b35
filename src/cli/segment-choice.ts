import { ConfigurationError } from '../base/crawl-error.ts'
import type { SegmentStore } from '../segment/segment-store.ts'

/**
 * The segment that a command means when the user names none: the oldest that `isWanted`. A name may be given as the path of its
 * directory too, as shells complete it.
 * @throws ConfigurationError when there is no segment at all
 */
export async function chosenSegment(
  segments: SegmentStore,
  named: string | undefined,
  isWanted: (name: string) => Promise<boolean>,
): Promise<string | undefined> {
  if (named !== undefined) return segmentName(named)
  const names = await segments.list()
  if (names.length === 0)
    throw new ConfigurationError('there is no segment yet: make one with orbweaver generate')
  for (const name of names) if (await isWanted(name)) return name
  return undefined
}

export function segmentName(named: string): string {
  return named.replace(/\/+$/, '').split('/').at(-1) ?? named
}

export async function isUnfetched(segments: SegmentStore, name: string): Promise<boolean> {
  return !(await segments.info(name)).complete
}

export async function isUnparsed(segments: SegmentStore, name: string): Promise<boolean> {
  for await (const pages of segments.unparsed(name)) if (pages.length > 0) return true
  return false
}
