/** Metadata: seconds between two fetches of a page whose interval must not adapt. Set by the seed line, and for sitemaps. */
export const FIXED_INTERVAL_KEY = 'fixedInterval'

/** The interval of a page whose interval must not adapt (seconds); `undefined`: it may. */
export function fixedInterval({
  metadata,
}: {
  readonly metadata: Readonly<Record<string, string>>
}): number | undefined {
  const seconds = Math.round(Number(metadata[FIXED_INTERVAL_KEY]))
  return seconds > 0 ? seconds : undefined
}
