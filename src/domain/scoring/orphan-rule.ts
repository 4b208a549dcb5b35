import { ConfigurationError } from '../../base/crawl-error.ts'

/** Metadata: when a link to the page was last seen (seconds since the epoch). A seed nobody links to has none. */
export const LAST_LINKED_KEY = '_orphan_'

/** How long a page may go without a link to it. Every page must be linked again, by a re-fetched page, within that time. */
export interface OrphanLimits {
  /** Then it counts as gone. */
  readonly goneAfterSeconds: number
  /** Then it is an orphan, which may be purged. */
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

/** What becomes of a page that got no link in an update at `now` (ms); `undefined`: nothing, as for pages never linked. */
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

/** Notes that a link to the page was seen at `now` (ms). */
export function markLinked(metadata: Metadata, now: number): Metadata {
  return { ...metadata, [LAST_LINKED_KEY]: String(Math.floor(now / 1000)) }
}
