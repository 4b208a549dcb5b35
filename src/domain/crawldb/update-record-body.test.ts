import { expect, it } from 'vitest'
import { unfetchedRecord } from './crawl-record.ts'
import { renewBody } from './update-record.ts'

const DAY_MS = 86_400_000
const START = Date.UTC(2026, 0, 1)

// Days since the body was received, with 90 as the longest interval.
it.each([
  { asked: 30, due: 60, renewed: false, visit: 60 },
  { asked: 58, due: 88, renewed: false, visit: 88 },
  { asked: 59, due: 89, renewed: true, visit: 89 },
  { asked: 62, due: 92, renewed: true, visit: 90 },
  { asked: 89.5, due: 120, renewed: true, visit: 90.5 },
  { asked: 400, due: 430, renewed: true, visit: 401 },
  { asked: 400, due: 400.1, renewed: true, visit: 400.1 },
])('after a 304 on day $asked, due on day $due: whole page next time $renewed, on day $visit', (days) => {
  const { asked, due, renewed, visit } = days
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
    lastFetchTime: START + asked * DAY_MS,
    validators,
  }
  expect(renewBody(record, 90 * 86_400)).toEqual({
    ...record,
    fetchTime: START + visit * DAY_MS,
    validators: renewed ? undefined : validators,
  })
})
