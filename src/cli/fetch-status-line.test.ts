import { beforeEach, describe, expect, it } from 'vitest'
import { RecordingTerminal } from '../../testing/recording-terminal.ts'
import type { LiveCrawl } from '../domain/live/live-crawl.ts'
import type { LiveReport } from '../domain/live/live-report.ts'
import type { FetchProgress } from '../flows/cycle/fetch-progress.ts'
import { FetchStatusLine } from './fetch-status-line.ts'
import { Screen } from './screen.ts'

let terminal: RecordingTerminal
let line: FetchStatusLine

beforeEach(() => {
  terminal = new RecordingTerminal()
  line = new FetchStatusLine(new Screen(terminal))
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

  it('leaves out the least important figures on a narrower screen, and keeps the bar', () => {
    terminal.screenColumns = 80
    line.expect(80)
    line.update(progress(1_000, 40))
    expect(drawn()).toMatch(/^█+░+ 40 of 80 URLs · 22\.3 pages\/s · 34 kB\/s · 1 error · 40 queued$/)
  })

  it('has whole figures only, at any width', () => {
    const words = new Set(
      '20 of 80 URLs · 22.3 pages/s · 34 kB/s · 1 error · 3 active · 61 waiting · 2 queues · 40 queued · 20 pages · 70.6 kB'.split(
        ' · ',
      ),
    )
    line.expect(80)
    for (let columns = 20; columns <= 300; columns++) {
      terminal.stderr = ''
      terminal.screenColumns = columns
      line.update(progress(1_000, 20))
      const figures = drawn().replace(/^[█░]+ /, '')
      expect(drawn().length).toBeLessThan(columns)
      for (const figure of figures.split(' · ')) expect(words).toContain(figure)
    }
  })

  it('names a robots.txt that fails, with its cause and the time of the next request', () => {
    const failure = {
      ...{ origin: 'https://example.org', reason: 'robots.txt returned 503', usesCopy: false },
      retryAt: Date.UTC(2026, 10, 17, 14, 5),
    }
    line.update({ ...progress(1_000, 20), robotsFailures: [failure, { ...failure, retryAt: 9e12 }] })
    expect(drawn()).toContain(' · robots.txt of example.org: 503, retry 14:05Z (1 more) · ')
  })

  it('has the time left and the state of the crawl, as soon as they are known', async () => {
    line.watcher.started(liveCrawl({ state: 'running', etaSeconds: 250 }))
    line.update(progress(1_000, 20))
    expect(drawn()).not.toContain('left')
    await settled()
    line.update(progress(2_000, 20))
    expect(drawn()).toContain(' · about 4 min left · ')
    await settled()
    line.watcher.started(liveCrawl({ state: 'paused', etaSeconds: 250 }))
    line.update(progress(3_000, 20))
    await settled()
    line.update(progress(4_000, 20))
    expect(drawn()).toMatch(/ · paused · /)
    expect(drawn()).not.toContain('left')
  })
})

/** The last line on the screen. */
function drawn(): string {
  return terminal.stderr.split('\r\x1b[2K').at(-1) ?? ''
}

function liveCrawl(report: Partial<LiveReport>): LiveCrawl {
  return { report: async () => report as LiveReport } as LiveCrawl
}

function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

describe('in a log', () => {
  it('is a plain line every ten seconds', () => {
    line.expect(80)
    for (let second = 1; second <= 25; second++) line.update(progress(second * 1_000, second))
    line.clear()
    expect(terminal.stderr.match(/^\d+ of 80 URLs/gm)).toEqual(['10 of 80 URLs', '20 of 80 URLs'])
    expect(terminal.stderr).not.toMatch(/[\r\x1b█]/)
  })
})
