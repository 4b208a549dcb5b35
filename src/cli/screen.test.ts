import { beforeEach, describe, expect, it } from 'vitest'
import { RecordingTerminal } from '../../testing/recording-terminal.ts'
import { logEvent } from '../base/event-codes.ts'
import { Screen } from './screen.ts'

let terminal: ResizableTerminal
let screen: Screen

class ResizableTerminal extends RecordingTerminal {
  resize: (() => void) | undefined

  onResize(listener: () => void): () => void {
    this.resize = listener
    return () => {
      this.resize = undefined
    }
  }
}

beforeEach(() => {
  terminal = new ResizableTerminal()
  screen = new Screen(terminal)
})

const CLEAR = '\r\x1b[2K'

describe('a status line', () => {
  beforeEach(() => {
    terminal.screenColumns = 20
  })

  it('is removed before other output and drawn again below it', () => {
    screen.setStatus(() => 'status')
    screen.err('a line\n')
    expect(terminal.stderr).toBe(`${CLEAR}status${CLEAR}a line\n${CLEAR}status`)
  })

  it('stays away until a line is complete', () => {
    screen.setStatus(() => 'status')
    screen.err('a part, ')
    screen.err('the end\n')
    expect(terminal.stderr).toBe(`${CLEAR}status${CLEAR}a part, the end\n${CLEAR}status`)
  })

  it('is drawn for the new width when the screen is resized', () => {
    screen.setStatus((columns) => `for ${columns}`)
    terminal.screenColumns = 50
    terminal.resize?.()
    expect(terminal.stderr).toBe(`${CLEAR}for 17${CLEAR}for 47`)
  })

  it('leaves room for the ^C that a terminal prints', () => {
    screen.setStatus((columns) => 'x'.repeat(columns))
    expect(`${terminal.stderr}^C`.length).toBeLessThan(CLEAR.length + 20)
  })

  it('removes all rows of a line that a narrower screen has wrapped', () => {
    screen.setStatus((columns) => 'x'.repeat(columns))
    terminal.screenColumns = 8
    terminal.resize?.()
    expect(terminal.stderr).toBe(`${CLEAR}${'x'.repeat(17)}\r\x1b[2A\x1b[J${'x'.repeat(5)}`)
  })

  it('is removed at the end, and not drawn again', () => {
    screen.setStatus(() => 'status')
    screen.close()
    expect(terminal.stderr).toBe(`${CLEAR}status${CLEAR}`)
    expect(terminal.resize).toBeUndefined()
  })

  it('counts the columns of wide characters', () => {
    screen.setStatus(() => '日'.repeat(30))
    expect(terminal.stderr).toBe(`${CLEAR}${'日'.repeat(8)}`)
  })
})

describe('the log', () => {
  it('has only notices, warnings and errors without settings, as plain text', () => {
    const log = screen.openLog({})
    logEvent(log, 'CRAWL_STARTED', 'started')
    logEvent(log, 'REDIS_BACK', 'Redis is back')
    logEvent(log, 'REDIS_LOST', 'Redis is away')
    expect(terminal.stderr).toBe('Redis is back\nwarning: Redis is away\n')
  })

  it('has the first warnings of a kind only, unless a log is requested', () => {
    const log = screen.openLog({})
    for (let i = 1; i <= 100; i++) logEvent(log, 'ROBOTS_UNREACHABLE', `host ${i}`)
    logEvent(log, 'REDIS_LOST', 'Redis is away')
    const lines = terminal.stderr.trim().split('\n')
    expect(lines).toHaveLength(12)
    expect(lines[10]).toMatch(/^note: further warnings of this kind \(ROBOTS_UNREACHABLE\) are not shown/)
    const all = screen.openLog({ level: 'warning' })
    for (let i = 1; i <= 100; i++) logEvent(all, 'ROBOTS_UNREACHABLE', `host ${i}`)
    expect(terminal.stderr.trim().split('\n')).toHaveLength(112)
  })

  it('has time and code with a level', () => {
    logEvent(screen.openLog({ level: 'info' }), 'CRAWL_STARTED', 'started')
    expect(terminal.stderr).toMatch(/^[\d:.]{12} info {4}crawl: started \[CRAWL_STARTED\]\n$/)
  })

  it('leaves the levels of a log file to the file', () => {
    const log = screen.openLog({ level: 'trace', format: 'json', file: 'a.log' })
    expect(log.isOn('fetch', 'info')).toBe(false)
    logEvent(log, 'REDIS_LOST', 'Redis is away')
    expect(terminal.stderr).toBe('warning: Redis is away\n')
  })

  it('leaves out the texts that it has as events', () => {
    screen.openLog({})
    screen.report('round 1\n')
    screen.openLog({ level: 'info' })
    screen.report('round 2\n')
    expect(terminal.stderr).toBe('round 1\n')
  })

  it('makes every line on standard error JSON', () => {
    terminal.screenColumns = 80
    const log = screen.openLog({ format: 'json' })
    screen.setStatus(() => 'status')
    logEvent(log, 'CRAWL_STARTED', 'started')
    screen.err('2 new URLs\n')
    screen.err('error: no page was fetched\n')
    screen.logProgress('1 page')
    const lines = terminal.stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.map(({ level, code, message }) => `${level} ${code} ${message}`)).toEqual([
      'info CRAWL_STARTED started',
      'notice MESSAGE 2 new URLs',
      'error MESSAGE no page was fetched',
      'info PROGRESS 1 page',
    ])
  })
})

describe('with --quiet', () => {
  it('prints errors and results only', () => {
    terminal.screenColumns = 80
    screen.setQuiet(true)
    const log = screen.openLog({})
    screen.setStatus(() => 'status')
    screen.err('2 new URLs\n')
    logEvent(log, 'REDIS_LOST', 'Redis is away')
    logEvent(log, 'HANDLER_FAILED', 'parse: TypeError')
    screen.err('error: no page was fetched\n')
    screen.out('10 pages\n')
    expect(terminal.stderr).toBe('parse: TypeError\nerror: no page was fetched\n')
    expect(terminal.stdout).toBe('10 pages\n')
  })
})

describe('the error that ends a command', () => {
  it('is printed once, although the log of the crawl has it, too', () => {
    logEvent(screen.openLog({}), 'CRAWL_FAILED', 'the crawl failed: no room on the disk')
    screen.fail('DISK_FULL', 'no room on the disk')
    expect(terminal.stderr).toBe('error: no room on the disk\n')
  })

  it('is plain text, also with --quiet', () => {
    screen.setQuiet(true)
    screen.fail('NOTHING_FETCHED', '0 pages')
    expect(terminal.stderr).toBe('error: 0 pages\n')
  })

  it('is an event with its code in a JSON log', () => {
    screen.openLog({ format: 'json' })
    screen.fail('NOTHING_FETCHED', '0 pages')
    expect(JSON.parse(terminal.stderr)).toMatchObject({
      ...{ level: 'error', code: 'NOTHING_FETCHED', message: '0 pages' },
    })
  })
})
