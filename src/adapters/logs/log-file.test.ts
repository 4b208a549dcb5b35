import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import type { CrawlEvent } from '../../base/event-log.ts'
import { LogLevels } from '../../base/log-levels.ts'
import { LogFile, type LogTrouble } from './log-file.ts'

let folder: string
let path: string
let clock: FakeClock
let troubles: LogTrouble[]
let file: LogFile | undefined

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-log-'))
  path = join(folder, 'logs', 'crawl.log')
  clock = new FakeClock()
  troubles = []
})

afterEach(() => {
  file?.close()
  rmSync(folder, { recursive: true })
})

function open(levels = 'info'): LogFile {
  file = new LogFile({
    ...{ path, clock },
    levels: LogLevels.parse(levels, 'info') as LogLevels,
    format: ({ message }) => message,
    onTrouble: (trouble) => troubles.push(trouble),
  })
  return file
}

function event(message: string, level: CrawlEvent['level'] = 'info'): CrawlEvent {
  return { level, topic: 'crawl', code: 'X', message }
}

function content(): string {
  return readFileSync(path, 'utf8')
}

it('creates the folder, and writes lines after a quarter of a second', () => {
  const log = open()
  log.write(event('one'))
  log.write(event('two'))
  expect(content()).toBe('')
  clock.advance(250)
  expect(content()).toBe('one\ntwo\n')
})

it('writes warnings at once, after the lines before them', () => {
  const log = open()
  log.write(event('one'))
  log.write(event('two', 'warning'))
  expect(content()).toBe('one\ntwo\n')
})

it('writes much at once', () => {
  const log = open()
  for (let i = 0; i < 70; i++) log.write(event('x'.repeat(1_000)))
  expect(content().length).toBeGreaterThan(60_000)
})

it('appends to an existing file, and completes it when it is closed', () => {
  open().write(event('one'))
  file?.close()
  open().write(event('two'))
  file?.close()
  expect(content()).toBe('one\ntwo\n')
})

it('writes the last lines when the process exits', () => {
  open().write(event('last'))
  // The listener, not the event: other listeners of the test runner stay out.
  process.listeners('exit').at(-1)?.call(process, 0)
  expect(content()).toBe('last\n')
})

it('starts a new file when logrotate has renamed the old one', () => {
  const log = open()
  log.write(event('one', 'warning'))
  renameSync(path, `${path}.1`)
  clock.advance(1_000)
  log.write(event('two', 'warning'))
  expect(readFileSync(`${path}.1`, 'utf8')).toBe('one\n')
  expect(content()).toBe('two\n')
})

it('starts a new file when it is reopened', () => {
  const log = open()
  log.write(event('one'))
  renameSync(path, `${path}.1`)
  log.reopen()
  expect(readFileSync(`${path}.1`, 'utf8')).toBe('')
  log.write(event('two', 'warning'))
  expect(content()).toBe('one\ntwo\n')
})

it('reports a file that cannot be written once, tries again, and counts the lost lines', () => {
  mkdirSync(path, { recursive: true })
  const log = open()
  expect(troubles).toMatchObject([{ kind: 'failed', error: { message: expect.stringMatching(/EISDIR/) } }])
  log.write(event('lost', 'warning'))
  clock.advance(10_000)
  log.write(event('lost, too', 'warning'))
  rmdirSync(path)
  log.write(event('lost before the next try', 'warning'))
  clock.advance(10_000)
  log.write(event('kept', 'warning'))
  expect(content()).toBe('kept\n')
  expect(troubles.slice(1)).toEqual([{ kind: 'recovered', linesLost: 3 }])
})

it('reads the levels of topics', () => {
  const log = open('warning,fetch=debug')
  expect(log.isOn('fetch', 'debug')).toBe(true)
  expect(log.isOn('crawl', 'info')).toBe(false)
})
