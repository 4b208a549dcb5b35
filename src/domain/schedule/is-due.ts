import type { PageTiming } from './page-timing.ts'

/**
 * Whether a page is to be visited at `now` (ms).
 *
 * No schedule puts a page off for longer than `maxIntervalSeconds`. A record that says so was written while a clock ran wrong
 * or under a longer maximum, and is due at once rather than lost for years. In SQL:
 * `fetch_time <= now OR fetch_time > now + max_interval_seconds * 1000`.
 */
export function isDue(page: Pick<PageTiming, 'fetchTime'>, now: number, maxIntervalSeconds: number): boolean {
  return page.fetchTime <= now || page.fetchTime > now + maxIntervalSeconds * 1000
}
