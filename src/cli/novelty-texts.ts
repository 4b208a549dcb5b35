import { formatCount, formatNumber, printableLine } from '../base/format-values.ts'
import { isIgnored, type ParameterEvidence } from '../domain/novelty/ignored-parameter.ts'
import type { NoveltyReport } from '../domain/novelty/novelty-report.ts'
import type { PatternEvidence } from '../domain/novelty/pattern-evidence.ts'

const MAX_LISTED = 10

/** The patterns with URLs that are held back, most URLs first. */
export function heldPatterns({ patterns }: NoveltyReport): PatternEvidence[] {
  return patterns.filter(({ held }) => held > 0).sort((a, b) => b.held - a.held)
}

/** Lines of `readdb --stats`. */
export function heldText(held: readonly PatternEvidence[]): string {
  if (held.length === 0) return ''
  const urls = held.reduce((sum, one) => sum + one.held, 0)
  const more = held.length - MAX_LISTED
  return [
    `held back           ${formatCount(urls, 'URL')} of ${formatCount(held.length, 'pattern')} that bring little:`,
    ...held.slice(0, MAX_LISTED).map((one) => `  ${formatNumber(one.held).padStart(9)}  ${patternText(one)}`),
    ...(more > 0 ? [`  and ${formatCount(more, 'more pattern')}`] : []),
    'to list or release them: orbweaver novelty\n',
  ].join('\n')
}

/** Lines of `explain` for a URL that was never fetched. */
export function noveltyLines({ patterns, parameters }: NoveltyReport): string[] {
  return [
    ...patterns.map((one) => `pattern  ${patternText(one)}`),
    ...patterns
      .filter(({ held, released }) => held > 0 && !released)
      .map(
        ({ pattern, held }) =>
          `held     ${formatCount(held, 'URL')} of this pattern by the novelty budget; to fetch them: orbweaver novelty <dir> --release '${printableLine(pattern, 2_000)}'`,
      ),
    ...parameters.map((one) => `ignored  ${parameterText(one)}`),
  ]
}

/** The whole report. */
export function noveltyText(report: NoveltyReport): string {
  const patterns = report.patterns.toSorted((a, b) => b.held - a.held || b.fetched - a.fetched)
  const parameters = report.parameters.filter((one) => isIgnored(one) || one.refused)
  if (patterns.length === 0)
    return 'no URL patterns were learned: set novelty to true in the configuration and crawl\n'
  return [
    'held      fetched  new   pattern',
    ...patterns.map(
      (one) =>
        `${formatNumber(one.held).padEnd(10)}${formatNumber(one.fetched).padEnd(9)}${share(one).padEnd(6)}${printableLine(one.pattern, 2_000)}${one.released ? '  (released)' : ''}`,
    ),
    ...(parameters.length === 0 ? [] : ['', 'ignored parameters']),
    ...parameters.map((one) => `${parameterText(one)}${one.refused ? '  (kept)' : ''}`),
    '',
  ].join('\n')
}

function patternText(one: PatternEvidence): string {
  const released = one.released ? ', released' : ''
  const evidence =
    one.fetched === 0
      ? 'not tried yet'
      : `${formatCount(one.fetched, 'page')} fetched, ${share(one)} of their text new`
  return `${printableLine(one.pattern, 2_000)} (${evidence}${released})`
}

function share({ fetched, novelty }: PatternEvidence): string {
  return fetched === 0 ? '-' : `${Math.round((100 * novelty) / fetched)} %`
}

function parameterText({ slot, same, different, held }: ParameterEvidence): string {
  return `${printableLine(slot, 2_000)} (${formatNumber(same)} of ${formatCount(same + different, 'pair')} of pages with the same words, ${formatCount(held, 'URL')} held back)`
}
