import { expect, it } from 'vitest'
import { CRAWL_STATUSES, isDbStatus, statusCode, statusName } from './crawl-status.ts'

it('names every code once, and finds it again', () => {
  for (const { name, code } of CRAWL_STATUSES) {
    expect(statusCode(name)).toBe(code)
    expect(statusName(code)).toBe(name)
  }
  expect(new Set(CRAWL_STATUSES.map(({ code }) => code)).size).toBe(20)
  expect(statusName(0x1f)).toBeUndefined()
})

it('keeps the codes in their ranges', () => {
  for (const { code, kind, name } of CRAWL_STATUSES) {
    const range = code <= 0x1f ? 'db' : code <= 0x3f ? 'fetch' : 'other'
    expect(kind).toBe(range)
    expect(isDbStatus(name)).toBe(kind === 'db')
  }
  expect(isDbStatus('db_lost')).toBe(false)
})
