import { usualDelayMs } from '../../domain/politeness/host-options.ts'
import { persistHostStates } from '../../domain/politeness/persist-host-states.ts'
import type { SegmentStore } from '../../domain/segment/segment-store.ts'
import { FetchLoop, type FetchParts } from './fetch-loop.ts'
import type { FetchOptions } from './fetch-options.ts'
import type { FetchResult } from './fetch-result.ts'

/**
 * Fetches the URLs of a segment that have no row yet, and writes their rows. After an interruption by `signal` the same call resumes.
 */
export async function fetchSegment(
  segments: Pick<SegmentStore, 'append' | 'remaining' | 'followed'>,
  name: string,
  parts: FetchParts,
  options: FetchOptions = {},
  signal?: AbortSignal,
): Promise<FetchResult> {
  const loop = new FetchLoop(parts, options)
  const { hostStateStore, clock } = parts
  const work = () => fetchList(segments, name, loop, signal)
  return hostStateStore === undefined
    ? work()
    : persistHostStates(loop, hostStateStore, clock, usualDelayMs(options.politeness ?? {}), work)
}

async function fetchList(
  segments: Pick<SegmentStore, 'append' | 'remaining' | 'followed'>,
  name: string,
  loop: FetchLoop,
  signal: AbortSignal | undefined,
): Promise<FetchResult> {
  const appender = await segments.append(name)
  const stop = (): void => void loop.stop()
  signal?.addEventListener('abort', stop)
  try {
    const followed = await segments.followed(name)
    const fetching = loop.join({ name, entries: segments.remaining(name), appender, followed })
    if (signal?.aborted) stop()
    return { ...(await fetching), hosts: loop.hostFigures() }
  } finally {
    signal?.removeEventListener('abort', stop)
    await appender.close()
  }
}
