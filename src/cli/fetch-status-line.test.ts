import { beforeEach, describe, expect, it } from 'vitest'
import { RecordingTerminal } from '../../testing/recording-terminal.ts'
import type { FetchProgress } from '../flows/cycle/fetch-progress.ts'
import { FetchStatusLine } from './fetch-status-line.ts'

let terminal: RecordingTerminal
let line: FetchStatusLine

beforeEach(() => {
  terminal = new RecordingTerminal()
  line = new FetchStatusLine(terminal)
})

function progress(elapsedMs: number, done: number): FetchProgress {
  return {
    ...{ elapsedMs, active: 3, waiting: 61, queues: 2, parked: 0, queued: 40 },
    ...{ pages: done, errors: 1, bytes: 70_600, statuses: { fetch_success: done } },
    pagesPerSecond: 22.3,
    kilobytesPerSecond: 34,
    averagePagesPerSecond: 20,
  }
}

describe('on a screen', () => {
  beforeEach(() => {
    terminal.screenColumns = 200
  })

  it('is a bar with all figures, updated every second', () => {
    line.expect(80)
    line.update(progress(1_000, 20))
    expect(terminal.stderr).toBe(
      `\r\x1b[2K${'█'.repeat(5)}${'░'.repeat(15)} 20 of 80 URLs · 22.3 pages/s · 34 kB/s · 1 error · 3 active · 61 waiting · 2 queues · 40 queued · 20 pages · 70.6 kB`,
    )
    line.update(progress(2_000, 40))
    expect(terminal.stderr).not.toContain('\n')
    expect(terminal.stderr).toContain('█'.repeat(10))
  })

  it('counts lists that join later', () => {
    line.expect(20)
    line.expect(20)
    line.update(progress(1_000, 20))
    expect(terminal.stderr).toContain('20 of 40 URLs')
  })

  it('stays full if redirects add more URLs than were listed', () => {
    line.expect(10)
    line.update(progress(1_000, 12))
    expect(terminal.stderr).toContain(`${'█'.repeat(20)} 12 of 12 URLs`)
  })

  it('has no bar if the number of URLs is unknown', () => {
    line.update(progress(1_000, 12))
    expect(terminal.stderr).toMatch(/^\r\x1b\[2K12 URLs · /)
  })

  it('shortens the bar before it truncates the figures', () => {
    terminal.screenColumns = 115
    line.expect(80)
    line.update(progress(1_000, 40))
    expect(terminal.stderr).toMatch(/2K█{4}░{4} 40 of 80 URLs · .* · 40 queued/)
  })

  it('is never wider than the screen', () => {
    terminal.screenColumns = 40
    line.expect(80)
    line.update(progress(1_000, 20))
    expect(terminal.stderr.replace('\r\x1b[2K', '')).toHaveLength(39)
  })
})

describe('in a log', () => {
  it('is a plain line every ten seconds', () => {
    line.expect(80)
    for (let second = 1; second <= 25; second++) line.update(progress(second * 1_000, second))
    line.clear()
    expect(terminal.stderr.match(/^\d+ of 80 URLs/gm)).toEqual(['10 of 80 URLs', '20 of 80 URLs'])
    expect(terminal.stderr).not.toMatch(/[\r\x1b█]/)
  })
})
