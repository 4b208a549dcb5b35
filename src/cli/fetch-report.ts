import { formatBytes, formatDuration } from '../base/format-values.ts'
import type { FetchResult } from '../flows/cycle/fetch-result.ts'
import { outcomeLines } from './outcome-report.ts'
import { hostLines, robotsFailureLines } from './report-texts.ts'
import { type ResumeCommand, resumeLines } from './resume-command.ts'

/** The summary of one fetch list. @param resume how to resume it if it is not complete; absent for a worker */
export function fetchReport(dir: string, result: FetchResult, resume?: ResumeCommand): string {
  const { segment, complete, hosts, robotsFailures = [], bytes, durationMs } = result
  const outcomes = outcomeLines(result, `orbweaver readseg ${dir} ${segment}`)
  const [counts = 'no URLs to fetch', ...details] = outcomes
  return [
    `segment ${segment}: ${counts}`,
    ...details,
    `${formatBytes(bytes)} in ${formatDuration(durationMs)}${complete || resume === undefined ? '' : '; interrupted'}`,
    ...(hosts === undefined ? [] : hostLines(hosts)),
    ...robotsFailureLines(robotsFailures),
    ...(complete || resume === undefined ? [] : resumeLines(resume)),
    '',
  ].join('\n')
}
