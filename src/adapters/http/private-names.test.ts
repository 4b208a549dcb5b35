import { expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { privateNames } from './private-names.ts'
import type { Resolution } from './resolve.ts'

const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  'wiki.corp': ['10.0.0.5'],
  'both.test': ['93.184.215.14', '192.168.1.1'],
  'public.test': ['93.184.215.14'],
  'metadata.test': ['169.254.169.254'],
  'azure.test': ['168.63.129.16'],
  'six.test': ['fd12::1'],
}

const resolve = async (host: string): Promise<Resolution> => {
  const addresses = ADDRESSES[host]?.map(
    (address) => ({ address, family: address.includes(':') ? 6 : 4 }) as const,
  )
  return addresses === undefined ? { ok: false, reason: 'not-found', detail: '' } : { ok: true, addresses }
}

it('finds the names of a local network, and none of cloud metadata services', async () => {
  expect(await privateNames([...Object.keys(ADDRESSES), 'none.test'], { resolve })).toEqual([
    'wiki.corp',
    'both.test',
    'six.test',
  ])
})

it('looks up neither addresses nor localhost, and no more names than it may', async () => {
  const lookedUp: string[] = []
  const hosts = ['127.0.0.1', '[::1]', 'localhost', 'a.test', 'a.test', 'b.test', 'c.test']
  const counting = (host: string) => {
    lookedUp.push(host)
    return resolve(host)
  }
  expect(await privateNames(hosts, { resolve: counting, maxNames: 2 })).toEqual([])
  expect(lookedUp).toEqual(['a.test', 'b.test'])
})

it('does not wait for a resolver that is silent', async () => {
  const clock = new FakeClock()
  const silent = (host: string) => (host === 'wiki.corp' ? resolve(host) : new Promise<Resolution>(() => {}))
  const found = privateNames(['silent.test', 'wiki.corp'], { resolve: silent, clock, timeoutMs: 1_000 })
  await Promise.resolve()
  clock.advance(1_000)
  expect(await found).toEqual(['wiki.corp'])
})

it('begins no lookup after the time limit, which would keep the process alive', async () => {
  const clock = new FakeClock()
  const lookedUp: string[] = []
  const waiting: Array<(found: Resolution) => void> = []
  const slow = (host: string) => {
    lookedUp.push(host)
    return new Promise<Resolution>((done) => waiting.push(done))
  }
  const hosts = Array.from({ length: 20 }, (_, n) => `${n}.test`)
  const found = privateNames(hosts, { resolve: slow, clock, timeoutMs: 1_000 })
  await Promise.resolve()
  clock.advance(1_000)
  expect(await found).toEqual([])
  for (const done of waiting) done({ ok: false, reason: 'failed', detail: '' })
  await new Promise(setImmediate)
  expect(lookedUp).toEqual(['0.test', '1.test', '2.test', '3.test'])
})
