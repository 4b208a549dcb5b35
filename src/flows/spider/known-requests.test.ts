import { describe, expect, it } from 'vitest'
import type { CrawlRequest } from '../../domain/frontier/crawl-request.ts'
import { RecentFingerprints } from '../../domain/frontier/recent-fingerprints.ts'
import { KnownRequests } from './known-requests.ts'
import type { RequestOptions } from './request-options.ts'

const URL = 'http://a.test/x'

function requestFor(more: Partial<CrawlRequest> = {}): CrawlRequest {
  return { url: URL, handler: 'parse', depth: 1, ...more }
}

function knownAfter(...requests: CrawlRequest[]): KnownRequests {
  const known = new KnownRequests()
  known.add(requests)
  return known
}

describe('KnownRequests', () => {
  it('has the links it was told of, for any handler', () => {
    const known = knownAfter(requestFor({ handler: 'detail', meta: { n: 1 } }))
    expect(known.has(URL, {})).toBe(true)
    expect(known.has(URL, { handler: 'other', priority: 5 })).toBe(true)
    expect(known.has(`${URL}y`, {})).toBe(false)
  })

  it.each<RequestOptions>([
    { dontFilter: true },
    { method: 'POST' },
    { body: 'x' },
    { json: {} },
    { form: { q: 'x' } },
  ])('leaves to the frontier what is more than a link: %o', (options) => {
    expect(knownAfter(requestFor()).has(URL, options)).toBe(false)
  })

  it.each<Partial<CrawlRequest>>([{ dontFilter: true }, { method: 'POST' }, { method: 'POST', body: 'q=x' }])(
    'does not take %o for the link to the same page',
    (more) => {
      expect(knownAfter(requestFor(more)).has(URL, {})).toBe(false)
    },
  )

  it('is the same in another thread with its memory', () => {
    const known = knownAfter(requestFor())
    const other = new KnownRequests(new RecentFingerprints(known.memory))
    expect(other.has(URL, {})).toBe(true)
    known.add([requestFor({ url: `${URL}y` })])
    expect(other.has(`${URL}y`, {})).toBe(true)
  })
})
