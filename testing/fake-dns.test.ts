import { beforeEach, expect, it } from 'vitest'
import { FakeDns } from './fake-dns.ts'

let dns: FakeDns
beforeEach(() => {
  dns = new FakeDns(['127.0.0.1', '127.0.0.2'])
})

it('distributes its addresses over the names of .test, the same address for the same name', async () => {
  const names = ['a.test', 'b.test', 'c.test', 'a.test']
  const found = await Promise.all(names.map((name) => dns.resolve(name)))
  expect(found).toMatchObject(
    ['127.0.0.1', '127.0.0.2', '127.0.0.1', '127.0.0.1'].map((address) => ({
      ok: true,
      addresses: [{ address }],
    })),
  )
  expect(dns.lookups).toEqual(names)
})

it('reports other names as not found', async () => {
  expect(await dns.resolve('example.org')).toMatchObject({ ok: false, reason: 'not-found' })
})

it('returns the results one after the other and repeats the last', async () => {
  dns.set('a.test', ['192.0.2.1'], 'failed', ['::1', '10.0.0.1'])
  expect(await dns.resolve('a.test')).toMatchObject({
    addresses: [{ address: '192.0.2.1', family: 4 }],
    ttlMs: 0,
  })
  expect(await dns.resolve('a.test')).toMatchObject({ ok: false, reason: 'failed' })
  for (let i = 0; i < 2; i++)
    expect(await dns.resolve('a.test')).toMatchObject({
      addresses: [
        { address: '::1', family: 6 },
        { address: '10.0.0.1', family: 4 },
      ],
    })
})

it('can leave a lookup without a response', async () => {
  dns.set('a.test', 'silence')
  const resolved = dns.resolve('a.test').then(() => 'resolved')
  const turn = new Promise((resolve) => setImmediate(resolve, 'not yet'))
  expect(await Promise.race([resolved, turn])).toBe('not yet')
})
