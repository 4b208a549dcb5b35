import type { Settings } from '../adapters/config/config-schema.ts'
import { formatterOf, plainMessage } from '../adapters/logs/event-lines.ts'
import { LogFile } from '../adapters/logs/log-file.ts'
import { wallClock } from '../base/clock.ts'
import { logEvent } from '../base/event-codes.ts'
import { type CrawlEvent, type EventLevel, type EventLog, NO_LOG } from '../base/event-log.ts'
import { LogLevels } from '../base/log-levels.ts'

/** The section `log` of the settings, with defaults. */
export type LogSettings = Settings['log']

/** Receivers of the events of a crawl, for `openCrawl` and `runSpider`. */
export interface EventReceivers {
  /** Called with the text of notices, warnings and errors, for people. @default they are dropped */
  readonly onMessage?: (message: string) => void
  /** Called with each event that the setting `log.level` lets through (default: `info`), for programs. @default none */
  readonly onEvent?: (event: CrawlEvent) => void
  /** Returns a log of your own for the settings `log`; it decides which events it receives. @default none */
  readonly openLog?: (settings: LogSettings) => EventLog
}

/** The log of a run. */
export interface RunLog extends EventLog, Disposable {
  /** Completes the log file. */
  close(): void
}

/** The receivers and the log file of the settings as one log. The file is `log.file`; if it cannot be written, the others get a warning. */
export function openRunLog(settings: LogSettings, receivers: EventReceivers): RunLog {
  const { onMessage, onEvent, openLog } = receivers
  const live: EventLog[] = []
  if (openLog !== undefined) live.push(openLog(settings))
  if (onEvent !== undefined) live.push(functionLog(levelsOf(settings, 'info'), onEvent))
  if (onMessage !== undefined)
    live.push(functionLog(MESSAGE_LEVELS, (event) => onMessage(plainMessage(event))))
  const others = joinedLog(live)
  if (settings.file === undefined) return closable(others, () => {})
  const { file: path, format = 'json' } = settings
  const file = new LogFile({
    path,
    levels: levelsOf(settings, 'info'),
    format: formatterOf(format),
    clock: wallClock,
    onTrouble: (trouble) => {
      if (trouble.kind === 'failed')
        logEvent(
          others,
          'LOG_FILE_FAILED',
          `the log file ${path} cannot be written: ${trouble.error.message}; the crawl continues without it, and tries again every 10 s`,
        )
      else if (trouble.linesLost > 0)
        logEvent(
          joined,
          'LOG_LINES_LOST',
          `${trouble.linesLost} log lines are lost: the log file ${path} could not be written`,
          { data: { lines: trouble.linesLost } },
        )
    },
  })
  const joined = joinedLog([...live, file])
  return closable(joined, () => file.close())
}

/** The levels of the settings. @param general the level without a setting */
export function levelsOf({ level }: Pick<LogSettings, 'level'>, general: EventLevel): LogLevels {
  const levels = LogLevels.parse(level ?? general, general)
  if (levels === undefined) throw new RangeError(`${level} was not checked`)
  return levels
}

const MESSAGE_LEVELS = levelsOf({}, 'notice')

function functionLog(levels: LogLevels, write: (event: CrawlEvent) => void): EventLog {
  return { isOn: (topic, level) => levels.isOn(topic, level), write }
}

function closable(log: EventLog, close: () => void): RunLog {
  return {
    isOn: (topic, level) => log.isOn(topic, level),
    write: (event) => log.write(event),
    close,
    [Symbol.dispose]: close,
  }
}

function joinedLog(logs: readonly EventLog[]): EventLog {
  const [first] = logs
  if (first === undefined) return NO_LOG
  if (logs.length === 1) return first
  return {
    isOn: (topic, level) => logs.some((log) => log.isOn(topic, level)),
    write(event) {
      for (const log of logs) if (log.isOn(event.topic, event.level)) log.write(event)
    },
  }
}
