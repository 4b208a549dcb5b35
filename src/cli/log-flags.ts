import { type Command, InvalidArgumentError, Option } from 'commander'
import type { OrbweaverConfig } from '../adapters/config/config-schema.ts'
import { LOG_FORMATS, type LogFormat } from '../adapters/logs/event-lines.ts'
import { LOG_LEVELS_TEXT, LogLevels } from '../base/log-levels.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import { addOptionGroup } from './help-notes.ts'

/** Flags of all commands that write a log. */
export interface LogFlags {
  readonly logLevel?: string
  readonly logFormat?: LogFormat
  readonly logFile?: string
  readonly quiet?: boolean
  /** How often `--verbose` was given. */
  readonly verbose?: number
}

export function addLogOptions(command: Command): Command {
  return addOptionGroup(command, 'Log', (group) =>
    group
      .option(
        '--log-level <levels>',
        'Least important level that is logged: error, warning, notice, info, debug or trace; also by topic, like info,fetch=debug (default: notice; info with --log-file or --log-format)',
        logLevels,
      )
      .addOption(
        new Option(
          '--log-format <format>',
          'Format of the log (default: pretty; json in --log-file)',
        ).choices(LOG_FORMATS),
      )
      .option('--log-file <file>', 'Append the log to this file (default: standard error)')
      .option('-q, --quiet', 'Print only errors and the result', false)
      .option(
        '-v, --verbose',
        'Log every request, as --log-level debug; given twice: as trace',
        (_, earlier: number) => earlier + 1,
        0,
      ),
  )
}

/** The settings of the flags. */
export function logConfig({ logLevel, logFormat, logFile, verbose = 0 }: LogFlags): OrbweaverConfig {
  const byVerbose = verbose > 1 ? 'trace' : verbose === 1 ? 'debug' : undefined
  const log = withoutUndefined({ level: logLevel ?? byVerbose, format: logFormat, file: logFile })
  return Object.keys(log).length > 0 ? { log } : {}
}

function logLevels(text: string): string {
  if (LogLevels.parse(text, 'info') === undefined) throw new InvalidArgumentError(`Give ${LOG_LEVELS_TEXT}.`)
  return text
}
