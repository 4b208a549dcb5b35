import type { Settings } from '../adapters/config/config-schema.ts'
import {
  type Notification,
  sendNotification,
  targetName,
} from '../adapters/notifications/send-notification.ts'
import { type Clock, steadyClock } from '../base/clock.ts'
import { logEvent } from '../base/event-codes.ts'
import { type EventLog, NO_LOG } from '../base/event-log.ts'
import type { JsonObject } from '../base/json.ts'
import type { LiveCrawl } from '../domain/live/live-crawl.ts'
import type { LiveReport } from '../domain/live/live-report.ts'
import { ProgressEpisodes } from './progress-episodes.ts'
import type { RunWatcher } from './run-watcher.ts'

export type NotifySettings = Settings['notify']

/** The end of a command, for its notification. */
export interface CommandOutcome {
  readonly exitCode: number
  readonly error?: { readonly code: string; readonly message: string }
}

export interface RunNotifierOptions {
  /** The name of the crawl in messages. */
  readonly name: string
  readonly settings: NotifySettings
  /** @default steadyClock */
  readonly clock?: Clock
  /** @default sendNotification */
  readonly send?: (target: string, notification: Notification) => Promise<void>
}

/** Sends notifications about a run: when its error rate is high, when it makes no progress, when that is over, and at its end. */
export class RunNotifier implements RunWatcher {
  readonly #name: string
  readonly #clock: Clock
  readonly #send: (target: string, notification: Notification) => Promise<void>
  readonly #sending = new Set<Promise<void>>()
  #settings: NotifySettings
  #log: EventLog = NO_LOG
  #live: LiveCrawl | undefined
  #latest: LiveReport | undefined
  #cancel: () => void = () => {}
  #reason: string | undefined
  #result: JsonObject | undefined

  constructor({ name, settings, clock = steadyClock, send }: RunNotifierOptions) {
    this.#name = name
    this.#settings = settings
    this.#clock = clock
    this.#send = send ?? ((target, notification) => sendNotification(target, notification, { clock }))
  }

  configured({ notify }: Pick<Settings, 'notify'>, log: EventLog): void {
    this.#settings = notify
    this.#log = log
  }

  started(live: LiveCrawl): void {
    this.#live = live
    const { to, errorRatePercent, noProgressMinutes } = this.#settings
    if (to === undefined) return
    const episodes = new ProgressEpisodes({ errorRatePercent, noProgressMs: noProgressMinutes * 60_000 })
    const check = async () => {
      const report = await live.report().catch(() => undefined)
      if (report === undefined || this.#live === undefined) return
      this.#latest = report
      for (const { event, text } of episodes.check(report))
        this.#notify(to, event, `${this.#name}: ${text}`, { report: plain(report) }, {})
      this.#cancel = this.#clock.after(CHECK_MS, () => void check())
    }
    this.#cancel = this.#clock.after(CHECK_MS, () => void check())
  }

  async ended(): Promise<void> {
    this.#cancel()
    const live = this.#live
    this.#live = undefined
    if (this.#settings.onFinish !== undefined) this.#latest = await live?.report().catch(() => this.#latest)
  }

  /** The result of the run, for the notification about its end. */
  setResult(reason: string, result: object): void {
    this.#reason = reason
    this.#result = plain(result)
  }

  /** Sends the notification about the end, and waits for all. A failure is a warning. */
  async finish({ exitCode, error }: CommandOutcome): Promise<void> {
    const { onFinish } = this.#settings
    if (onFinish !== undefined) {
      const reason = this.#reason ?? error?.code ?? 'ended'
      const pages = this.#latest?.totals.pages ?? 0
      const text = `${this.#name}: ${error === undefined ? `ended (${reason})` : `failed: ${error.message}`}, ${pages} pages, exit code ${exitCode}`
      const document = {
        ...{ reason, exitCode },
        ...(error !== undefined && { error: { ...error } }),
        ...(this.#result !== undefined && { result: this.#result }),
        ...(this.#latest !== undefined && { report: plain(this.#latest) }),
      }
      this.#notify(onFinish, 'finished', text, document, {
        ORBWEAVER_REASON: reason,
        ORBWEAVER_PAGES: String(pages),
        ORBWEAVER_EXIT_CODE: String(exitCode),
      })
    }
    await Promise.all(this.#sending)
  }

  #notify(
    target: string,
    event: string,
    text: string,
    document: JsonObject,
    variables: Readonly<Record<string, string>>,
  ): void {
    const { command, totals } = this.#latest ?? {}
    const notification: Notification = {
      document: {
        ...{ event, text, crawl: this.#name, time: new Date(this.#clock.now()).toISOString() },
        ...(command !== undefined && { command }),
        ...(totals !== undefined && { counts: { ...totals } }),
        ...document,
      },
      variables: {
        ...{ ORBWEAVER_EVENT: event, ORBWEAVER_CRAWL: this.#name, ORBWEAVER_TEXT: text },
        ORBWEAVER_PAGES: String(totals?.pages ?? 0),
        ...variables,
      },
    }
    const details = { data: { event } }
    const sending: Promise<void> = this.#send(target, notification)
      .then(
        () => logEvent(this.#log, 'NOTIFICATION_SENT', `notification sent: ${text}`, details),
        (error: Error) =>
          logEvent(
            this.#log,
            'NOTIFICATION_FAILED',
            `the notification ${event} could not be sent to ${targetName(target)}: ${error.message}`,
            details,
          ),
      )
      .finally(() => this.#sending.delete(sending))
    this.#sending.add(sending)
  }
}

const CHECK_MS = 1_000

/** As JSON has it. */
function plain(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject
}
