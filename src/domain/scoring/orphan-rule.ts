import { ConfigurationError } from '../../base/crawl-error.ts'

/** Metadata: when a link to the page was last seen (seconds since the epoch). Absent for a seed without inlinks. */
export const LAST_LINKED_KEY = '_orphan_'

/** How long a page may have no new link to it. Within that time a re-fetched page must link to it again. */
export interface OrphanLimits {
  /** After this time it counts as gone. */
  readonly goneAfterSeconds: number
  /** After this time it is an orphan, which may be purged. */
  readonly orphanAfterSeconds: number
}

/** @throws ConfigurationError when pages would be orphans before they are gone */
export function orphanLimits(limits: OrphanLimits): OrphanLimits {
  if (limits.goneAfterSeconds > limits.orphanAfterSeconds)
    throw new ConfigurationError(
      'SETTING_INVALID',
      'goneAfterSeconds must not be longer than orphanAfterSeconds',
    )
  return limits
}

type Metadata = Readonly<Record<string, string>>

/** The verdict on a page without a link in an update at `now` (ms); `undefined`: no change, as for pages that were never linked. */
export function judgeOrphan(
  metadata: Metadata,
  now: number,
  { goneAfterSeconds, orphanAfterSeconds }: OrphanLimits,
): 'gone' | 'orphan' | undefined {
  const lastLinked = Number.parseInt(metadata[LAST_LINKED_KEY] ?? '', 10)
  // No date: the page was never linked, and every comparison below is false.
  const age = Math.floor(now / 1000) - lastLinked
  if (age > orphanAfterSeconds) return 'orphan'
  return age > goneAfterSeconds ? 'gone' : undefined
}

/** Records that a link to the page was found at `now` (ms). */
export function markLinked(metadata: Metadata, now: number): Metadata {
  return { ...metadata, [LAST_LINKED_KEY]: String(Math.floor(now / 1000)) }
}
