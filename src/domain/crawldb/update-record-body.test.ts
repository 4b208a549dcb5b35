import { expect, it } from 'vitest'
import { unfetchedRecord } from './crawl-record.ts'
import { renewBody } from './update-record.ts'

const DAY_MS = 86_400_000
const START = Date.UTC(2026, 0, 1)

// Days since the body was received, with 90 as the longest interval.
it.each([
  { checked: 30, due: 60, renewed: false, next: 60 },
  { checked: 58, due: 88, renewed: false, next: 88 },
  { checked: 59, due: 89, renewed: true, next: 89 },
  { checked: 62, due: 92, renewed: true, next: 90 },
  { checked: 89.5, due: 120, renewed: true, next: 90.5 },
  { checked: 400, due: 430, renewed: true, next: 401 },
  { checked: 400, due: 400.1, renewed: true, next: 400.1 },
])('after a 304 on day $checked, due on day $due: whole page next time $renewed, on day $next', (days) => {
  const { checked, due, renewed, next } = days
  const validators = { etag: '"1"' }
  const record = {
    ...unfetchedRecord({
      url: 'http://a.test/',
      fetchTime: START + due * DAY_MS,
      fetchInterval: 30 * 86_400,
      modifiedTime: START,
      retries: 0,
      score: 1,
      metadata: {},
    }),
    contentTime: START,
    lastFetchTime: START + checked * DAY_MS,
    validators,
  }
  expect(renewBody(record, 90 * 86_400)).toEqual({
    ...record,
    fetchTime: START + next * DAY_MS,
    validators: renewed ? undefined : validators,
  })
})
