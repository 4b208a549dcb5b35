import { beforeEach, describe, expect, it } from 'vitest'
import { RecordingTerminal } from '../../testing/recording-terminal.ts'
import type { SpiderProgress } from '../flows/spider/spider-progress.ts'
import { StatsCounter } from '../flows/spider/spider-stats.ts'
import { Screen } from './screen.ts'
import { SpiderStatusLine } from './spider-status-line.ts'

let terminal: RecordingTerminal
let line: SpiderStatusLine

beforeEach(() => {
  terminal = new RecordingTerminal()
  line = new SpiderStatusLine(new Screen(terminal))
})

function progress(durationMs: number, pages: number): SpiderProgress {
  const stats = {
    ...new StatsCounter().snapshot(durationMs),
    ...{ pages, items: 1_234, duplicates: 7, bytes: 70_600, failed: { 'http-404': 1, 'http-500': 2 } },
  }
  return { stats, active: 3, queued: 40, hosts: 2 }
}

describe('on a screen', () => {
  beforeEach(() => {
    terminal.screenColumns = 200
  })

  it('has all the figures, and is written over every second', () => {
    line.update(progress(1_000, 20))
    expect(terminal.stderr).toBe(
      '\r\x1b[2K20 pages · 1,234 items · 20.0 pages/s · 3 failed · 3 active · 40 queued · 2 hosts · 7 duplicates · 70.6 kB',
    )
    line.update(progress(2_000, 25))
    expect(terminal.stderr).toContain('\r\x1b[2K25 pages · 1,234 items · 5.0 pages/s')
    expect(terminal.stderr).not.toContain('\n')
  })
})

it.each([
  [{ idle: { elsewhere: 1_200 } }, 'idle: other workers hold the hosts of the 1,200 requests left'],
  [{ idle: 'start-urls' }, 'idle: the queue is empty, waiting for start URLs'],
  [{ idle: 'start-urls', isPaused: true }, 'paused'],
] as const)('says why it does nothing (%j)', (more, text) => {
  line.update({ ...progress(10_000, 0), ...more })
  line.clear()
  expect(terminal.stderr).toMatch(new RegExp(` · ${text}\n$`))
})

describe('in a log', () => {
  it('is a plain line every ten seconds, with the speed of all of them', () => {
    for (let second = 1; second <= 25; second++)
      line.update(progress(second * 1_000, second <= 15 ? second * 2 : 30))
    line.clear()
    expect(terminal.stderr.match(/^\d+ pages .*pages\/s/gm)).toEqual([
      '20 pages · 1,234 items · 2.0 pages/s',
      '30 pages · 1,234 items · 1.0 pages/s',
    ])
    expect(terminal.stderr).not.toMatch(/[\r\x1b]/)
  })
})
