import { beforeEach, expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { registeredDomain } from '../../domain/url/registered-domain.ts'
import { CookieJar } from './cookie-jar.ts'
import { HostCookieJar } from './host-cookie-jar.ts'

let clock: FakeClock

beforeEach(() => {
  clock = new FakeClock()
})

/** A worker: its jar, and the cookies of hosts. */
function worker(keyOf = (host: string) => host) {
  const jar = new CookieJar(clock)
  const hosts = new HostCookieJar(jar, keyOf)
  return {
    jar,
    hosts,
    set: (host: string, ...cookies: string[]) => jar.store(cookies, new URL(`http://${host}/`)),
    sent: (host: string) => jar.headerFor(new URL(`http://${host}/`)),
  }
}

it('moves the cookies of a host to the next worker', () => {
  const [a, b] = [worker(), worker()]
  a.set('www.example.com', 'id=1', 'lang=en')
  b.hosts.restore('www.example.com', a.hosts.changed('www.example.com') ?? [])
  expect(b.sent('www.example.com')).toBe('id=1; lang=en')
  expect(b.sent('other.example.com')).toBeUndefined()
})

it('has changes only after a cookie was set, changed or deleted', () => {
  const { hosts, set } = worker()
  expect(hosts.changed('a.test')).toBeUndefined()
  set('a.test', 'id=1')
  expect(hosts.changed('a.test')).toMatchObject([{ name: 'id', value: '1' }])
  expect(hosts.changed('a.test')).toBeUndefined()
  set('b.test', 'id=1')
  expect(hosts.changed('a.test')).toBeUndefined()
  set('a.test', 'id=2')
  expect(hosts.changed('a.test')).toMatchObject([{ name: 'id', value: '2' }])
  set('a.test', 'id=; Max-Age=0')
  expect(hosts.changed('a.test')).toEqual([])
})

it('does not return cookies that were restored as changes', () => {
  const [a, b] = [worker(), worker()]
  a.set('a.test', 'id=1')
  b.hosts.restore('a.test', a.hosts.changed('a.test') ?? [])
  expect(b.hosts.changed('a.test')).toBeUndefined()
})

it('forgets cookies that another worker deleted', () => {
  const { hosts, set, sent } = worker()
  set('a.test', 'id=1')
  set('b.test', 'id=1')
  hosts.restore('a.test', [])
  expect([sent('a.test'), sent('b.test')]).toEqual([undefined, 'id=1'])
})

it('keeps the later one of a cookie that several hosts share', () => {
  const [a, b] = [worker(), worker()]
  a.set('www.example.com', 'sid=old; Domain=example.com')
  const old = a.hosts.changed('www.example.com') ?? []
  clock.advance(1_000)
  b.set('shop.example.com', 'sid=new; Domain=example.com')
  b.hosts.restore('www.example.com', old)
  expect([b.sent('www.example.com'), b.sent('shop.example.com')]).toEqual(['sid=new', 'sid=new'])
  a.hosts.restore('shop.example.com', b.hosts.changed('shop.example.com') ?? [])
  expect(a.sent('www.example.com')).toBe('sid=new')
})

it('moves the cookies of all hosts of a domain if they share a queue', () => {
  const [a, b] = [worker(registeredDomain), worker(registeredDomain)]
  a.set('www.example.com', 'id=1')
  a.set('shop.example.com', 'cart=2')
  b.hosts.restore('example.com', a.hosts.changed('example.com') ?? [])
  expect([b.sent('www.example.com'), b.sent('shop.example.com')]).toEqual(['id=1', 'cart=2'])
})

it('does not send stored cookies to another site', () => {
  const { hosts, sent } = worker()
  const cookie = { name: 'id', value: '1', domain: 'test', hostOnly: false, path: '/', secure: false }
  hosts.restore('a.test', [{ ...cookie, expiresAt: clock.now() + 1_000 }])
  hosts.restore('a.test', [{ ...cookie, domain: 'b.test', expiresAt: clock.now() + 1_000 }])
  expect(sent('b.test')).toBeUndefined()
})

it('does not restore expired cookies', () => {
  const { hosts, sent } = worker()
  const cookie = { name: 'id', value: '1', domain: 'a.test', hostOnly: true, path: '/', secure: false }
  hosts.restore('a.test', [{ ...cookie, expiresAt: clock.now() }])
  expect(sent('a.test')).toBeUndefined()
})
