import { Command } from 'commander'
import { columnWidth, formatCount, formatJson, printableLine } from '../base/format-values.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { Finding } from '../wiring/doctor/finding.ts'
import type { CommandContext } from './command-context.ts'
import { EXIT } from './command-context.ts'
import { addCrawlOptions, type CrawlFlags, sessionOptions } from './crawl-flags.ts'
import { helpNotes, wrapText } from './help-notes.ts'
import { redisOption } from './redis-flags.ts'

interface DoctorFlags extends CrawlFlags {
  readonly repair: boolean
  readonly offline: boolean
  readonly redis?: string | true
}

const HELP = `
Checks Node.js, the limit of open files, the clock, the disk and the contact of the crawler. With a crawl directory: reads every file of every
segment, the CrawlDb and the search index, compares the CrawlDb with the segments, and requests the robots.txt of up to five seed hosts. With the
file of a spider or a URL: requests the robots.txt of its start URLs. With --redis: version, eviction, persistence, memory and clock of Redis.
Each line is ok, a warning or a problem, with what to do.

--repair moves all files of a damaged part to <dir>/damaged/<time>/ and deletes nothing. The next crawl or fetch fetches the pages of that part
again. It also releases URLs that wait for a segment that was deleted. A damaged CrawlDb cannot be repaired: restore it from a backup.

Examples:
  orbweaver doctor
  orbweaver doctor crawl --repair
  orbweaver doctor quotes.ts --redis redis://queue.example.org/0
  orbweaver doctor https://example.org/`

export function doctorCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('doctor')
    .argument('[target]', 'Crawl directory, file of a spider, or URL')
    .option('--repair', 'Move damaged parts of segments aside, so that their pages are fetched again', false)
    .option('--offline', 'Send no request to sites', false)
    .addOption(redisOption('Check Redis, too'))
  return addCrawlOptions(command)
    .addHelpText(
      'after',
      helpNotes({ 0: 'no problem, or all were repaired', 3: 'a problem was found' }, HELP),
    )
    .action(async (target: string | undefined, flags: DoctorFlags) => {
      const { runDoctor } = await import('../wiring/doctor/run-doctor.ts')
      const { repair, offline, redis, config } = flags
      const { dir: _, ...session } = sessionOptions(target ?? '', flags, 'doctor')
      const report = await runDoctor({
        ...{ repair, offline, session, signal: terminal.interrupted },
        ...withoutUndefined({ target, redis, config }),
      })
      const { findings, diagnosis, repair: repaired } = report
      const isSound = findings.every(({ state }) => state !== 'problem')
      terminal.out(
        flags.json
          ? formatJson({ sound: isSound, findings, ...diagnosis, ...withoutUndefined({ repair: repaired }) })
          : findingsText(findings, terminal.columns ?? 100),
      )
      if (!isSound) exitWith(EXIT.failed)
    })
}

function findingsText(findings: readonly Finding[], columns: number): string {
  const checks = columnWidth(findings.map(({ check }) => check))
  const indent = ' '.repeat(STATE_WIDTH + checks + 2)
  const lines = findings.flatMap(({ check, state, message, remedy }) => {
    const [first = '', ...more] = [message, ...(remedy === undefined ? [] : [`→ ${remedy}`])].flatMap(
      (text) => wrapText(printableLine(text, 2_000), Math.max(40, columns - indent.length)),
    )
    return [
      `${state.padEnd(STATE_WIDTH)}${check.padEnd(checks)}  ${first}`,
      ...more.map((line) => indent + line),
    ]
  })
  const of = (state: Finding['state']) => findings.filter((finding) => finding.state === state).length
  const summary = `${formatCount(findings.length, 'check')}: ${of('ok')} ok, ${formatCount(of('warning'), 'warning')}, ${formatCount(of('problem'), 'problem')}`
  return `${[...lines, summary].join('\n')}\n`
}

/** `problem` and two spaces. */
const STATE_WIDTH = 9
