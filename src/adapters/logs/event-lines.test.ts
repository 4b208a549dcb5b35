import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CrawlEvent } from '../../base/event-log.ts'
import { jsonLine, plainMessage, prettyLine } from './event-lines.ts'

const AT = Date.UTC(2026, 10, 17, 14, 5, 7, 250)

function event(changes: Partial<CrawlEvent> = {}): CrawlEvent {
  return { level: 'warning', topic: 'robots', code: 'ROBOTS_UNREACHABLE', message: 'it is down', ...changes }
}

/** Characters that end a line or change how a terminal displays it. */
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\u200b\ufeff]/

describe('a JSON line', () => {
  it('has the fields in a fixed order, without those that are absent', () => {
    expect(jsonLine(event({ url: 'http://a.test/', host: 'a.test', data: { retryAt: 5 } }), AT)).toBe(
      '{"time":"2026-11-17T14:05:07.250Z","level":"warning","topic":"robots","code":"ROBOTS_UNREACHABLE","message":"it is down","url":"http://a.test/","host":"a.test","data":{"retryAt":5}}',
    )
    expect(JSON.parse(jsonLine(event(), AT))).not.toHaveProperty('url')
  })

  it('stays one valid line whatever a site sends', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (hostile) => {
        const text = `\x1b[31m\r\n\u2028\u202e${hostile}`
        const line = jsonLine(event({ message: text, url: text, data: { title: text } }), AT)
        expect(line).not.toMatch(CONTROL)
        const { message, data } = JSON.parse(line)
        expect(message.toWellFormed()).toBe(text.toWellFormed())
        expect(data.title.toWellFormed()).toBe(text.toWellFormed())
      }),
    )
  })

  it('limits the length of a hostile URL', () => {
    expect(jsonLine(event({ url: 'x'.repeat(1_000_000) }), AT).length).toBeLessThan(11_000)
  })
})

describe('a pretty line', () => {
  it('has time, level, topic, message and code', () => {
    expect(prettyLine(event(), AT)).toBe('14:05:07.250 warning robots: it is down [ROBOTS_UNREACHABLE]')
  })

  it('has the URL if the message does not', () => {
    expect(prettyLine(event({ url: 'http://a.test/' }), AT)).toMatch(/\] http:\/\/a\.test\/$/)
    expect(prettyLine(event({ url: 'http://a.test/', message: 'http://a.test/ fails' }), AT)).toMatch(/\]$/)
  })

  it('replaces control characters and indents further lines', () => {
    expect(prettyLine(event({ message: 'a\x1b[2Jb\n    at c' }), AT).split('\n')).toEqual([
      '14:05:07.250 warning robots: a [2Jb [ROBOTS_UNREACHABLE]',
      '      at c',
    ])
  })
})

it('a plain message names a warning', () => {
  expect(plainMessage(event())).toBe('warning: it is down')
  expect(plainMessage(event({ level: 'notice' }))).toBe('it is down')
})
