import { Command, InvalidArgumentError, Option } from 'commander'
import { formatJson, printableLine } from '../base/format-values.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { Certificate } from '../domain/certificate/certificate.ts'
import { writeFileWhole } from '../wiring/write-file-whole.ts'
import { certificateText } from './certificate-text.ts'
import type { CommandContext } from './command-context.ts'
import { EXIT } from './command-context.ts'
import { addJsonOption, helpNotes } from './help-notes.ts'
import { wholeNumber } from './option-values.ts'

interface CertifyFlags {
  readonly json: boolean
  readonly host?: string
  readonly from?: number
  readonly to?: number
  readonly format?: Format
  readonly out?: string
  readonly maxHosts?: number
}

type Format = 'text' | 'html' | 'json'

const HELP = `
Reads the request log in <dir>/requests, which crawl, fetch, worker and run --dir write, and checks every request against the robots.txt that was in force,
the delays, Retry-After and the number of requests at the same time. It can run during a crawl. The HTML file is one page without scripts that you can send to
the owner of a site.

Times are ISO 8601 and in UTC unless they have a zone: 2026-11-16, 2026-11-16T08:30, 2026-11-16T08:30+01:00.

Examples:
  orbweaver certify crawl
  orbweaver certify crawl --host example.org --out example.org.html
  orbweaver certify crawl --from 2026-11-01 --to 2026-11-30 --format json`

export function certifyCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('certify')
    .description('Check the requests of a crawl against robots.txt and the delays of each host')
    .argument('<dir>', 'Crawl directory')
    .option('--host <host>', 'Only requests to this host (default: all hosts)')
    .option('--from <time>', 'Only requests from this time on (default: all)', startTime)
    .option(
      '--to <time>',
      'Only requests before this time; a date includes the whole day (default: all)',
      endTime,
    )
    .addOption(
      new Option(
        '--format <format>',
        'Format of the certificate (default: by the name of --out, otherwise text)',
      ).choices(['text', 'html', 'json']),
    )
    .option('--out <file>', 'Output file (default: standard output)')
    .option(
      '--max-hosts <n>',
      'Maximum number of hosts listed; hosts with violations always are (default: 1000)',
      wholeNumber,
    )
  return addJsonOption(command, 'The same as --format json')
    .addHelpText(
      'after',
      helpNotes(
        {
          0: 'no violations',
          1: 'no requests are recorded',
          3: 'violations were found, or the check failed',
        },
        HELP,
      ),
    )
    .action(async (dir: string, flags: CertifyFlags) => {
      const { certifyCrawl } = await import('../wiring/certify-crawl.ts')
      const { host, from, to, maxHosts, out } = flags
      const certificate = await certifyCrawl(dir, {
        ...withoutUndefined({ host: host?.toLowerCase(), from, to, maxHosts }),
      })
      const text = await formatted(certificate, formatOf(flags), dir)
      if (out === undefined) terminal.out(text)
      else {
        await writeFileWhole(out, (write) => write(text))
        terminal.err(`${printableLine(certificate.summary, 500)} Written to ${out}.\n`)
      }
      if (certificate.requests === 0) exitWith(EXIT.nothing)
      else if (certificate.violations > 0) exitWith(EXIT.failed)
    })
}

function formatOf({ format, json, out = '' }: CertifyFlags): Format {
  if (format !== undefined) return format
  if (json || out.endsWith('.json')) return 'json'
  return /\.html?$/i.test(out) ? 'html' : 'text'
}

async function formatted(certificate: Certificate, format: Format, dir: string): Promise<string> {
  if (format === 'json') return formatJson(certificate)
  if (format === 'text') return certificateText(certificate, dir)
  // Loaded late: most uses print text.
  const { certificateHtml } = await import('./certificate-html.ts')
  return certificateHtml(certificate)
}

/** The end of the day for a date. */
function endTime(text: string): number {
  const time = startTime(text)
  return DATE.test(text) ? time + DAY_MS : time
}

const DATE = /^\d{4}-\d\d-\d\d$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?$/
const DAY_MS = 86_400_000

function startTime(text: string): number {
  const isTime = DATE.test(text) || TIME.test(text)
  // A date alone is in UTC, but a time without a zone would be local.
  const hasZone = DATE.test(text) || /(?:Z|[+-]\d\d:?\d\d)$/.test(text)
  const ms = Date.parse(hasZone ? text : `${text}Z`)
  if (!isTime || Number.isNaN(ms))
    throw new InvalidArgumentError('Give a date or a time, like 2026-11-16 or 2026-11-16T08:30.')
  return ms
}
