import { describe, expect, it } from 'vitest'
import { LogLevels } from './log-levels.ts'

describe('levels of a log', () => {
  it('lets a level and all more important ones through', () => {
    const levels = LogLevels.parse('notice', 'info')
    expect(levels?.isOn('fetch', 'info')).toBe(false)
    expect(levels?.isOn('fetch', 'notice')).toBe(true)
    expect(levels?.isOn('fetch', 'error')).toBe(true)
  })

  it('can be set for one topic', () => {
    const levels = LogLevels.parse(' warn , Fetch = DEBUG', 'info')
    expect(levels?.isOn('fetch', 'debug')).toBe(true)
    expect(levels?.isOn('robots', 'notice')).toBe(false)
    expect(levels?.isOn('robots', 'warning')).toBe(true)
  })

  it('uses the general level if only topics are given', () => {
    const levels = LogLevels.parse('robots=error', 'info')
    expect(levels?.isOn('robots', 'warning')).toBe(false)
    expect(levels?.isOn('fetch', 'info')).toBe(true)
  })

  it.each(['', 'loud', 'fetch=loud', 'mars=debug', 'info,,debug', 'a=b=c', 'toString', 'constructor=info'])(
    'rejects %j',
    (text) => {
      expect(LogLevels.parse(text, 'info')).toBeUndefined()
    },
  )
})
