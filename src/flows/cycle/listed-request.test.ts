import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CrawlRequest } from '../../domain/frontier/crawl-request.ts'
import { fingerprintOf } from '../../domain/frontier/crawl-request.ts'
import type { TaskEntry } from './fetch-task.ts'
import { entryOf, listedRequest } from './listed-request.ts'

const URL = 'http://a.test/1'
const ENTRY: TaskEntry = { url: URL, sortValue: 2, score: 0.5, metadata: {} }

const entries: fc.Arbitrary<TaskEntry> = fc
  .record(
    {
      url: fc.webUrl(),
      sortValue: fc.double({ noNaN: true, noDefaultInfinity: true }),
      score: fc.double({ noNaN: true, noDefaultInfinity: true }),
      metadata: fc.dictionary(fc.string(), fc.string()),
      validators: fc.record({ etag: fc.string(), lastModified: fc.string() }),
      signature: fc.string(),
      redirectedFrom: fc.array(fc.webUrl(), { minLength: 1 }),
    },
    { requiredKeys: ['url', 'sortValue', 'score', 'metadata'] },
  )
  // JSON knows no negative zero.
  .map((entry) => ({ ...entry, sortValue: entry.sortValue + 0, score: entry.score + 0 }))

it('survives the way through a fleet unchanged', () => {
  fc.assert(
    fc.property(entries, (entry) => {
      const sent = JSON.parse(JSON.stringify(listedRequest('20270101000000', entry))) as CrawlRequest
      expect(entryOf('20270101000000', sent)).toEqual(entry)
    }),
    { numRuns: 200 },
  )
})

describe('the same URL', () => {
  it('is one request per segment', () => {
    const [one, same, other] = ['s', 's', 't'].map((segment) => fingerprintOf(listedRequest(segment, ENTRY)))
    expect(one).toBe(same)
    expect(one).not.toBe(other)
    expect(entryOf('s', listedRequest('t', ENTRY))).toBeUndefined()
  })
})

it('ignores members of the wrong type', () => {
  const meta = { score: 'much', metadata: { a: 'b', c: 3 }, validators: ['x'], signature: 5 }
  const request = { ...listedRequest('s', ENTRY), meta }
  expect(entryOf('s', request)).toEqual({ url: URL, sortValue: 2, score: 0, metadata: { a: 'b' } })
  expect(entryOf('s', { url: URL, handler: 'fetch', depth: 0, body: 's' })).toMatchObject({ score: 0 })
})

it('sets no priority for an infinite rank', () => {
  expect(listedRequest('s', { ...ENTRY, sortValue: Number.POSITIVE_INFINITY })).not.toHaveProperty('priority')
})
