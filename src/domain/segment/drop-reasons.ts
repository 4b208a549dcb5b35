import type { Truncation } from '../fetch/fetch-outcome.ts'

/** What a truncated body is counted by. */
export function truncationReason(truncated: Truncation | string): string {
  return truncated === 'size' ? 'http.maxBodyBytes' : `body cut short (${truncated})`
}
