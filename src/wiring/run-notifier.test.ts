import { beforeEach, expect, it } from 'vitest'
import { FakeClock } from '../../testing/fake-clock.ts'
import { RecordingLog } from '../../testing/recording-log.ts'
import { completeConfig } from '../adapters/config/complete-config.ts'
import type { OrbweaverConfig } from '../adapters/config/config-schema.ts'
import type { Notification } from '../adapters/notifications/send-notification.ts'
import type { LiveCrawl } from '../domain/live/live-crawl.ts'
import type { LiveReport } from '../domain/live/live-report.ts'
import { RunNotifier } from './run-notifier.ts'

let clock: FakeClock
let log: RecordingLog
let sent: Array<Notification & { readonly target: string }>
let report: Record<string, unknown>
let failure: Error | undefined

beforeEach(() => {
  clock = new FakeClock()
  log = new RecordingLog()
  sent = []
  failure = undefined
  report = { command: 'crawl', state: 'running', totals: { pages: 7, requests: 9, errors: 0 } }
})

function notifier(notify: NonNullable<OrbweaverConfig['notify']>): RunNotifier {
  const settings = completeConfig({ notify }, 'test')
  const made = new RunNotifier({
    ...{ name: 'my-crawl', settings: settings.notify, clock },
    async send(target, notification) {
      if (failure !== undefined) throw failure
      sent.push({ target, ...notification })
    },
  })
  made.configured(settings, log)
  return made
}

const live = {
  report: async () =>
    ({ ...report, at: clock.now(), lastProgressAt: report['lastProgressAt'] ?? clock.now() }) as LiveReport,
} as LiveCrawl

async function advance(seconds: number): Promise<void> {
  for (let i = 0; i < seconds; i++) {
    clock.advance(1_000)
    for (let turn = 0; turn < 5; turn++) await Promise.resolve()
  }
}

it('reports the end with its result, its exit code and the last report', async () => {
  const made = notifier({ onFinish: 'notify-me' })
  made.started(live)
  await made.ended()
  made.setResult('nothing due', { pages: 7 })
  await made.finish({ exitCode: 0 })
  expect(sent).toMatchObject([
    {
      target: 'notify-me',
      document: {
        ...{ event: 'finished', crawl: 'my-crawl', command: 'crawl', reason: 'nothing due', exitCode: 0 },
        ...{ text: 'my-crawl: ended (nothing due), 7 pages, exit code 0', counts: { pages: 7 } },
        ...{ result: { pages: 7 }, report: { state: 'running' } },
      },
      variables: { ORBWEAVER_REASON: 'nothing due', ORBWEAVER_PAGES: '7', ORBWEAVER_EXIT_CODE: '0' },
    },
  ])
  expect(log.codes).toEqual(['NOTIFICATION_SENT'])
})

it('reports an error, also before the run has started', async () => {
  const made = notifier({ onFinish: 'notify-me' })
  await made.finish({ exitCode: 3, error: { code: 'ENOSPC', message: 'no space left on the device' } })
  expect(sent).toMatchObject([
    {
      document: {
        reason: 'ENOSPC',
        exitCode: 3,
        error: { code: 'ENOSPC' },
        text: expect.stringContaining('no space left'),
      },
      variables: { ORBWEAVER_REASON: 'ENOSPC', ORBWEAVER_PAGES: '0' },
    },
  ])
})

it('warns if a notification cannot be sent, without the secrets of its URL', async () => {
  failure = new Error('it returned 500')
  const made = notifier({ onFinish: 'https://hooks.example.org/secret' })
  await made.finish({ exitCode: 0 })
  expect(log.events).toMatchObject([
    {
      ...{ level: 'warning', code: 'NOTIFICATION_FAILED' },
      message: 'the notification finished could not be sent to https://hooks.example.org: it returned 500',
    },
  ])
})

it('reports missing progress once, and its end, every second checked', async () => {
  const made = notifier({ to: 'notify-me', noProgressMinutes: 5 })
  report['lastProgressAt'] = clock.now()
  made.started(live)
  await advance(600)
  report['lastProgressAt'] = clock.now()
  await advance(2)
  await made.ended()
  await made.finish({ exitCode: 0 })
  expect(sent.map(({ variables }) => variables['ORBWEAVER_EVENT'])).toEqual([
    'no-progress',
    'no-progress-over',
  ])
  expect(sent[0]?.document['text']).toBe('my-crawl: no page in the last 5 minutes')
})

it('sends nothing without settings', async () => {
  const made = notifier({})
  made.started(live)
  await advance(2_000)
  await made.ended()
  await made.finish({ exitCode: 0 })
  expect(sent).toEqual([])
})
