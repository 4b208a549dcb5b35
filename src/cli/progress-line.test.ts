import { beforeEach, describe, expect, it } from 'vitest'
import { RecordingTerminal } from '../../testing/recording-terminal.ts'
import { ProgressLine } from './progress-line.ts'
import { Screen } from './screen.ts'

let terminal: RecordingTerminal
let line: ProgressLine

beforeEach(() => {
  terminal = new RecordingTerminal()
  line = new ProgressLine(new Screen(terminal))
})

describe('on a screen', () => {
  beforeEach(() => {
    terminal.screenColumns = 40
  })

  it('is written over each time', () => {
    line.show(1_000, () => 'one')
    line.show(2_000, () => 'two')
    expect(terminal.stderr).toBe('\r\x1b[2Kone\r\x1b[2Ktwo')
  })

  it('is never wider than the screen', () => {
    line.show(1_000, (columns) => `${columns} ${'x'.repeat(100)}`)
    expect(terminal.stderr).toMatch(/2K37 x{34}$/)
  })

  it('goes away for other output, once', () => {
    line.show(1_000, () => 'one')
    line.clear()
    line.clear()
    expect(terminal.stderr).toBe('\r\x1b[2Kone\r\x1b[2K')
  })
})

describe('in a log', () => {
  it('is a plain line every ten seconds', () => {
    for (let second = 1; second <= 25; second++) line.show(second * 1_000, () => `at ${second}`)
    line.clear()
    expect(terminal.stderr).toBe('at 10\nat 20\n')
  })
})

describe('after Ctrl-C', () => {
  it('says what the run waits for, once', () => {
    line.show(1_000, () => 'one')
    terminal.interrupt()
    expect(terminal.stderr.match(/stopping: requests in flight .*Ctrl-C again/g)).toHaveLength(1)
  })

  it('says nothing when the run has ended', () => {
    line.show(1_000, () => 'one')
    line.clear()
    terminal.interrupt()
    expect(terminal.stderr).not.toContain('stopping')
  })
})
