import { beforeEach, describe, expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { testRules } from '../../../testing/test-rules.ts'
import type { CrawlRequest } from '../../domain/frontier/crawl-request.ts'
import { filterChain } from '../../domain/url/url-filter.ts'
import { Admission, REPEAT } from './admission.ts'
import { KnownRequests } from './known-requests.ts'
import { RequestOutput } from './output.ts'
import type { RequestOptions } from './request-options.ts'
import { SpiderScope } from './spider-scope.ts'

const NOW = 1_800_000_000_000
let admission: Admission
beforeEach(() => {
  const { normalize, filter } = testRules(new FakeClock(NOW), { filters: { rules: ['-secret', '+.'] } })
  const scope = new SpiderScope(['a.test', 'b.test'])
  admission = new Admission({ normalize, filter: filterChain([scope, filter]), maxDepth: 2, maxRedirects: 3 })
})

function admitted(href: string, options: RequestOptions = {}, depth = 0): CrawlRequest {
  const verdict = admission.admit(new RequestOutput(href, options), NOW, { depth, url: 'http://a.test/' })
  if (!verdict.ok) throw new Error(verdict.rule)
  return verdict.request
}

describe('admit', () => {
  it('makes a request of an output: normalised, one link deeper, for the default handler', () => {
    const output = new RequestOutput('x/../y#top', {}, 'http://A.test/dir/')
    expect(admission.admit(output, NOW, { depth: 1, url: 'http://a.test/dir/' })).toEqual({
      ok: true,
      request: { url: 'http://a.test/dir/y', handler: 'parse', depth: 2, from: 'http://a.test/dir/' },
    })
  })

  it('resolves each link with the page it is on', () => {
    const urls = ['http://a.test/1/', 'http://a.test/2/', 'http://a.test/1/'].map((base) => {
      const verdict = admission.admit(new RequestOutput('x', {}, base), NOW, { depth: 0, url: base })
      return verdict.ok && verdict.request.url
    })
    expect(urls).toEqual(['http://a.test/1/x', 'http://a.test/2/x', 'http://a.test/1/x'])
  })

  it('lets nothing in again that is known, but for start requests', () => {
    const { normalize, filter } = testRules(new FakeClock(NOW))
    const known = new KnownRequests()
    admission = new Admission({ normalize, filter, maxRedirects: 3, known })
    known.add([admitted('http://a.test/x')])
    const again = new RequestOutput('http://A.test/x#part')
    expect(admission.admit(again, NOW, { depth: 0 })).toEqual({
      ok: false,
      href: 'http://a.test/x',
      rule: REPEAT,
    })
    expect(admission.admit(again, NOW).ok).toBe(true)
    expect(admitted('http://a.test/x', { dontFilter: true }).url).toBe('http://a.test/x')
  })

  it('carries over what the options say', () => {
    const options = { handler: 'detail', priority: 3, dontFilter: true, meta: { n: 1 }, form: { q: 'x' } }
    expect(admitted('http://a.test/s', options)).toEqual({
      url: 'http://a.test/s',
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'q=x',
      handler: 'detail',
      priority: 3,
      dontFilter: true,
      meta: { n: 1 },
      depth: 1,
      from: 'http://a.test/',
    })
  })

  it.each<[RequestOptions, number | undefined]>([
    [{ delaySeconds: 0.5 }, NOW + 500],
    [{ notBefore: NOW + 9 }, NOW + 9],
    [{ notBefore: new Date(NOW + 7_000), delaySeconds: 0.01 }, NOW + 7_000],
    [{ notBefore: NOW - 1 }, undefined],
    [{}, undefined],
  ])('knows when it is due: %o', (options, due) => {
    expect(admitted('http://a.test/x', options).notBefore).toBe(due)
  })

  it('takes a copy of the meta, as it would be after it was stored', () => {
    const meta = { list: [1], not: undefined }
    const request = admitted('http://a.test/x', { meta })
    meta.list.push(2)
    expect(request.meta).toStrictEqual({ list: [1] })
  })

  it.each([
    ['http://c.test/', 'scope: c.test is not allowed'],
    ['mailto:x@a.test', /^url: /],
    ['http://', /^url: /],
    ['http://a.test/secret', /secret/],
  ])('refuses %s', (href, rule) => {
    const verdict = admission.admit(new RequestOutput(href), NOW, { depth: 0 })
    expect(verdict).toMatchObject({ ok: false, rule: expect.stringMatching(rule) })
  })

  it('refuses what is deeper than the limit', () => {
    expect(admitted('http://a.test/x', {}, 1).depth).toBe(2)
    const verdict = admission.admit(new RequestOutput('http://a.test/x'), NOW, { depth: 2 })
    expect(verdict).toMatchObject({ ok: false, rule: 'depth: 3, the limit is 2' })
  })

  it('checks only the URL of a start request', () => {
    expect(admission.admit(new RequestOutput('http://elsewhere.test/secret'), NOW)).toEqual({
      ok: true,
      request: { url: 'http://elsewhere.test/secret', handler: 'parse', depth: 0 },
    })
    expect(admission.admit(new RequestOutput('/relative'), NOW)).toMatchObject({ ok: false })
  })

  it('throws for a request with two bodies', () => {
    expect(() => admitted('http://a.test/', { body: 'x', json: 1 })).toThrow('one body')
  })
})

describe('isRepeat', () => {
  const { normalize } = testRules(new FakeClock(NOW))
  const known = new KnownRequests()
  known.add([{ url: 'http://a.test/x', handler: 'parse', depth: 1 }])
  const options = { normalize, filter: filterChain([]), maxRedirects: 3, known }
  const isRepeat = (href: string, more: RequestOptions = {}) =>
    new Admission({
      ...options,
      handlerFault: (name) => (name === 'gone' ? 'no such handler' : undefined),
    }).isRepeat(new RequestOutput(href, more, 'http://a.test/dir/'))

  it('is true for links that admit would not let in again', () => {
    expect(isRepeat('/x')).toBe(true)
    expect(isRepeat('../x#part', { handler: 'detail' })).toBe(true)
  })

  it('is false for all others, mistakes included', () => {
    expect(isRepeat('/y')).toBe(false)
    expect(isRepeat('mailto:x')).toBe(false)
    expect(isRepeat('/x', { dontFilter: true })).toBe(false)
    expect(isRepeat('/x', { handler: 'gone' })).toBe(false)
    const { known: _, ...without } = options
    expect(new Admission(without).isRepeat(new RequestOutput('http://a.test/x'))).toBe(false)
  })
})

describe('redirect', () => {
  const POST: CrawlRequest = {
    url: 'http://a.test/login',
    method: 'POST',
    body: 'eA==',
    base64: true,
    headers: {
      'content-type': 'text/plain',
      'content-language': 'de',
      authorization: 'Basic x',
      cookie: 'a=1',
      'x-own': '1',
    },
    handler: 'detail',
    meta: { n: 1 },
    priority: 2,
    depth: 1,
    from: 'http://a.test/',
    notBefore: NOW - 5,
  }

  it.each([301, 302, 303])('sends a GET after %i, without the body and what describes it', (status) => {
    const { request } = admission.redirect(POST, status, '/home')
    expect(request).toEqual({
      url: 'http://a.test/home',
      headers: { authorization: 'Basic x', cookie: 'a=1', 'x-own': '1' },
      handler: 'detail',
      meta: { n: 1 },
      priority: 2,
      depth: 1,
      from: 'http://a.test/',
      redirectedFrom: ['http://a.test/login'],
      dontFilter: true,
    })
  })

  it.each([307, 308])('sends the same again after %i', (status) => {
    const { request } = admission.redirect(POST, status, '/home')
    expect(request).toMatchObject({ method: 'POST', body: 'eA==', base64: true, headers: POST.headers })
  })

  it('keeps a HEAD a HEAD', () => {
    expect(admission.redirect({ ...POST, method: 'HEAD' }, 301, '/x').request?.method).toBe('HEAD')
  })

  it.each(['http://b.test/', 'https://a.test/', 'http://a.test:8080/'])(
    'sends no secrets to %s, another origin',
    (to) => {
      const headers = admission.redirect(POST, 307, to).request?.headers
      expect(headers).toEqual({ 'content-type': 'text/plain', 'content-language': 'de', 'x-own': '1' })
    },
  )

  const GET: CrawlRequest = { url: 'http://a.test/1', handler: 'parse', depth: 2 }

  it('goes no deeper, and is compared with earlier requests', () => {
    const { request, verdict } = admission.redirect(GET, 302, '/2')
    expect(verdict).toEqual({ kind: 'follow', url: 'http://a.test/2' })
    expect(request).toEqual({
      url: 'http://a.test/2',
      handler: 'parse',
      depth: 2,
      redirectedFrom: ['http://a.test/1'],
    })
  })

  it('sees a circle, of one and of several', () => {
    expect(admission.redirect(GET, 301, '/1')).toEqual({
      verdict: { kind: 'circle', why: 'redirects to itself' },
    })
    const third = { ...GET, url: 'http://a.test/3', redirectedFrom: ['http://a.test/1', 'http://a.test/2'] }
    expect(admission.redirect(third, 301, '/2').verdict).toMatchObject({ kind: 'circle' })
  })

  it('lets a form lead to the page it is on', () => {
    const { request } = admission.redirect(POST, 303, '/login')
    expect(request).toMatchObject({ url: POST.url, dontFilter: true })
    expect(request && admission.redirect(request, 302, '/login').verdict.kind).toBe('circle')
  })

  it('follows as many as it may, and no more', () => {
    let request: CrawlRequest = GET
    for (const n of [2, 3, 4]) {
      const next = admission.redirect(request, 301, `/${n}`).request
      if (next === undefined) throw new Error(`not followed to ${n}`)
      request = next
    }
    expect(request.redirectedFrom).toHaveLength(3)
    expect(admission.redirect(request, 301, '/5')).toEqual({
      verdict: { kind: 'drop', why: 'more than 3 redirects in a row', dropReason: 'limits.redirectMax' },
    })
  })

  it.each([
    ['http://c.test/', /scope: c.test/],
    ['http://a.test/secret', /secret/],
    ['ftp://a.test/', /redirects to ftp/],
    ['http://[', /redirects to/],
  ])('does not follow to %s', (to, why) => {
    const { request, verdict } = admission.redirect(GET, 301, to)
    expect(request).toBeUndefined()
    expect(verdict).toMatchObject({ kind: 'drop', why: expect.stringMatching(why) })
  })
})
