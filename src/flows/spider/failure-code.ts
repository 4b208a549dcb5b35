import type { FetchOutcome } from '../../domain/fetch/fetch-outcome.ts'

/** What dead letters and stats are told apart by: `http-404`, `network-dns-not-found`, `too-slow`. */
export function failureCode(outcome: FetchOutcome): string {
  if (outcome.kind === 'network-failure') return `network-${outcome.cause}`
  if (outcome.kind === 'refused') return `refused-${outcome.cause}`
  if ('response' in outcome && outcome.kind !== 'unsupported') return `http-${outcome.response.status}`
  return outcome.kind
}

export function failureReason(outcome: FetchOutcome): string {
  if ('detail' in outcome) return outcome.detail
  return `the server returned ${outcome.response.status}`
}
