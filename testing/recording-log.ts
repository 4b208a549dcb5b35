import type { CrawlEvent, EventLevel, EventLog, EventTopic } from '../src/base/event-log.ts'
import { LogLevels } from '../src/base/log-levels.ts'

/** A log that records its events. */
export class RecordingLog implements EventLog {
  readonly events: CrawlEvent[] = []
  readonly #levels: LogLevels | undefined

  /** @param levels as in `--log-level` */
  constructor(levels = 'trace') {
    this.#levels = LogLevels.parse(levels, 'trace')
  }

  get codes(): string[] {
    return this.events.map(({ code }) => code)
  }

  get messages(): string[] {
    return this.events.map(({ message }) => message)
  }

  isOn(topic: EventTopic, level: EventLevel): boolean {
    return this.#levels?.isOn(topic, level) ?? false
  }

  write(event: CrawlEvent): void {
    this.events.push(event)
  }
}
