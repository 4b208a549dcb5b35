import fc from 'fast-check'
import { beforeEach, expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { CookieJar } from './cookie-jar.ts'

const ANY_UNIT = fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit))

let clock: FakeClock
let jar: CookieJar

beforeEach(() => {
  clock = new FakeClock()
  jar = new CookieJar(clock, { maxSites: 3, maxCookiesPerSite: 5 })
})

const set = (url: string, ...cookies: string[]): void => jar.store(cookies, new URL(url))
const sent = (url: string): string | undefined => jar.headerFor(new URL(url))

it('sends a cookie back to the host that set it, and to no other', () => {
  set('http://a.example.com/', 'id=1')
  expect(sent('http://a.example.com/page')).toBe('id=1')
  expect(sent('http://b.example.com/')).toBeUndefined()
  expect(sent('http://x.a.example.com/')).toBeUndefined()
  expect(sent('http://example.com/')).toBeUndefined()
})

it('sends a domain cookie to the domain and all below it', () => {
  set('http://a.example.com/', 'id=1; Domain=.Example.com')
  expect(sent('http://example.com/')).toBe('id=1')
  expect(sent('http://b.example.com/')).toBe('id=1')
  expect(sent('http://notexample.com/')).toBeUndefined()
})

it.each([
  ['a public suffix', 'http://a.example.co.uk/', 'Domain=co.uk'],
  ['a top-level domain', 'http://example.com/', 'Domain=com'],
  ['a private suffix', 'http://me.github.io/', 'Domain=github.io'],
  ['a stranger', 'http://example.com/', 'Domain=example.org'],
  ['a subdomain', 'http://example.com/', 'Domain=a.example.com'],
  ['the end of an address', 'http://127.0.0.1/', 'Domain=0.0.1'],
])('refuses a cookie for %s', (_, url, attribute) => {
  set(url, `id=1; ${attribute}`)
  expect(sent(url)).toBeUndefined()
})

it('takes a host that is a public suffix for itself alone', () => {
  set('http://github.io/', 'id=1; Domain=github.io')
  expect(sent('http://github.io/')).toBe('id=1')
  expect(sent('http://me.github.io/')).toBeUndefined()
})

it('keeps to the path, and sends the longest first', () => {
  set('http://example.com/a/b', 'default=1')
  set('http://example.com/', 'root=1; Path=/', 'deep=1; Path=/a/b/c', 'odd=1; Path=nonsense')
  expect(sent('http://example.com/a')).toBe('default=1; root=1; odd=1')
  expect(sent('http://example.com/a/b/c/d')).toBe('deep=1; default=1; root=1; odd=1')
  expect(sent('http://example.com/ab')).toBe('root=1; odd=1')
})

it('keeps secure cookies to https', () => {
  set('https://example.com/', 's=1; Secure')
  set('http://example.com/', 'forged=1; Secure')
  expect(sent('http://example.com/')).toBeUndefined()
  expect(sent('https://example.com/')).toBe('s=1')
})

it('refuses prefixed names that do not keep their promise', () => {
  set(
    'https://example.com/',
    '__Secure-a=1',
    '__Host-b=1; Secure; Path=/x',
    '__Host-c=1; Secure; Path=/; Domain=example.com',
  )
  expect(sent('https://example.com/x')).toBeUndefined()
  set('https://example.com/', '__Host-d=1; Secure; Path=/', '__Secure-e=1; Secure')
  expect(sent('https://example.com/')).toBe('__Host-d=1; __Secure-e=1')
})

it.each([
  ['Max-Age=10', 10_000],
  ['Max-Age=10; Expires=Wed, 01 Jan 2099 00:00:00 GMT', 10_000],
  ['Expires=Wed, 01 Jan 2099 00:00:00 GMT', 400 * 86_400_000],
  ['Expires=not a date', 400 * 86_400_000],
  ['Max-Age=99999999999999999999', 400 * 86_400_000],
])('forgets it in time: %s', (attributes, keptMs) => {
  set('http://example.com/', `id=1; ${attributes}`)
  clock.advance(keptMs - 1)
  expect(sent('http://example.com/')).toBe('id=1')
  clock.advance(1)
  expect(sent('http://example.com/')).toBeUndefined()
})

it('replaces a cookie, and deletes it when it is set to be over', () => {
  set('http://example.com/', 'id=1')
  set('http://example.com/', 'id=2')
  expect(sent('http://example.com/')).toBe('id=2')
  set('http://example.com/', 'id=x; Max-Age=0')
  expect(sent('http://example.com/')).toBeUndefined()
})

it('limits the cookies of a site, whichever of its hosts sets them', () => {
  for (let i = 9_000; i < 10_000; i++) set(`http://h${i % 7}.example.com/`, `c${i}=1; Domain=example.com`)
  expect(sent('http://example.com/')?.split('; ')).toEqual([
    'c9995=1',
    'c9996=1',
    'c9997=1',
    'c9998=1',
    'c9999=1',
  ])
})

it('reads only so many of a response', () => {
  set('http://example.com/', ...Array.from({ length: 10_000 }, (_, i) => `c${i}=1`))
  expect(sent('http://example.com/')).toBe('c0=1; c1=1; c2=1; c3=1; c4=1')
})

it('limits the number of sites, and drops the least recently used', () => {
  for (const site of ['a', 'b', 'c']) set(`http://${site}.test/`, 'id=1')
  expect(sent('http://a.test/')).toBe('id=1')
  set('http://d.test/', 'id=1')
  expect(['a', 'b', 'c', 'd'].map((site) => sent(`http://${site}.test/`))).toEqual([
    'id=1',
    undefined,
    'id=1',
    'id=1',
  ])
})

it.each([
  ['no name', '=1'],
  ['nothing', ''],
  ['a megabyte', `id=${'x'.repeat(1_000_000)}`],
  ['five kilobytes', `id=${'x'.repeat(5_000)}`],
  ['a control character', 'id=a\u0007b'],
  ['letters that no header can have', 'id=世界'],
])('drops a cookie of %s', (_, text) => {
  set('http://example.com/', text)
  expect(sent('http://example.com/')).toBeUndefined()
})

it("sends a request's own cookies first, and none of the same name", () => {
  set('http://example.com/', 'id=1', 'lang=en', 'x=y=z')
  expect(jar.headerFor(new URL('http://example.com/'), 'lang=de; a')).toBe('lang=de; a; id=1; x=y=z')
  expect(jar.headerFor(new URL('http://example.com/'), 'id; x=1')).toBe('id; x=1; lang=en')
  expect(jar.headerFor(new URL('http://other.test/'), 'id=2')).toBe('id=2')
})

it('adds nothing that makes the header too long', () => {
  set('http://example.com/', `long=${'x'.repeat(4_000)}`, 'short=1')
  const own = `own=${'x'.repeat(5_000)}`
  expect(jar.headerFor(new URL('http://example.com/'), own)).toBe(`${own}; short=1`)
})

it('counts the changes that another process would miss', () => {
  const { changes } = jar
  set('http://example.com/', 'nonsense; Domain=other.test')
  expect(sent('http://example.com/')).toBeUndefined()
  expect(jar.changes).toBe(changes)
  set('http://example.com/', 'id=1')
  const afterSet = jar.changes
  expect(afterSet).toBeGreaterThan(changes)
  set('http://example.com/', 'id=1; Max-Age=0')
  expect(jar.changes).toBeGreaterThan(afterSet)
})

it('leaves out of a snapshot what is over, and takes in nothing that is', () => {
  set('http://example.com/', 'short=1; Max-Age=10', 'long=1')
  const before = jar.snapshot()
  clock.advance(10_000)
  expect(jar.snapshot().map(({ name }) => name)).toEqual(['long'])
  const next = new CookieJar(clock)
  next.restore(before)
  expect(next.headerFor(new URL('http://example.com/'))).toBe('long=1')
})

it('keeps to its limits when it takes in a snapshot', () => {
  const wide = new CookieJar(clock)
  for (const site of ['a', 'b', 'c', 'd']) wide.store(['id=1'], new URL(`http://${site}.test/`))
  jar.restore(wide.snapshot())
  expect(['a', 'b', 'c', 'd'].map((site) => sent(`http://${site}.test/`))).toEqual([
    undefined,
    'id=1',
    'id=1',
    'id=1',
  ])
})

it('is not changed by a snapshot', () => {
  const hosts = [
    'example.com',
    'a.example.com',
    'b.example.com',
    'a.test',
    'b.test',
    'c.test',
    'x.compute.amazonaws.com',
  ]
  const step = fc.record({
    host: fc.constantFrom(...hosts),
    cookie: fc.constantFrom(
      ...[
        'id=1',
        'id=2; Path=/a',
        'id=3; Domain=example.com',
        's=1; Secure',
        'x=1; Max-Age=30',
        'id=; Max-Age=0',
      ],
      ...['k1=1', 'k2=1', 'k3=1', 'k4=1', 'a=1; Domain=amazonaws.com', undefined],
    ),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 15 }), fc.array(step, { maxLength: 10 }), (before, after) => {
      const limits = { maxSites: 3, maxCookiesPerSite: 5 }
      const first = new CookieJar(clock, limits)
      const take = (step: (typeof before)[number], jars: CookieJar[]): Array<string | undefined> => {
        const url = new URL(`https://${step.host}/a/b`)
        return jars.map((each) => {
          if (step.cookie !== undefined) each.store([step.cookie], url)
          return each.headerFor(url)
        })
      }
      for (const one of before) take(one, [first])
      const second = new CookieJar(clock, limits)
      second.restore(JSON.parse(JSON.stringify(first.snapshot())))
      for (const one of after) {
        const [expected, got] = take(one, [first, second])
        expect(got).toBe(expected)
      }
      expect(second.snapshot()).toEqual(first.snapshot())
    }),
    { numRuns: 300 },
  )
})

it('never sends what no header can have, whatever it was given', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: ANY_UNIT, maxLength: 20 }), { maxLength: 3 }), (cookies) => {
      set('https://example.com/', ...cookies)
      expect(sent('https://example.com/') ?? '').toMatch(/^[\x20-\x7e]*$/)
    }),
    { numRuns: 100 },
  )
})
