import { once } from 'node:events'
import { createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { normalizeUrl } from '../../src/domain/url/normalize-url.ts'
import { startBlackHole } from '../../testing/black-hole.ts'
import { startTunnelProxy } from '../../testing/tunnel-proxy.ts'
import { noHost, useHostileWeb } from './hostile-web.ts'

const hostile = useHostileWeb()
const PUBLIC = '93.184.215.14'

describe('DNS', () => {
  it('1: reports dns-not-found for a name that does not exist, and does not repeat the lookup at once', async () => {
    const { web } = hostile
    const fetcher = hostile.fetcher()
    web.dns.set('nowhere.test', 'not-found')
    for (let i = 0; i < 3; i++)
      expect(await fetcher.fetch({ url: 'http://nowhere.test/' })).toMatchObject({
        kind: 'network-failure',
        cause: 'dns-not-found',
      })
    expect(web.dns.lookups.filter((name) => name === 'nowhere.test')).toHaveLength(1)
  })

  it.each(['failed', 'silence'] as const)(
    '2: calls a name server that says %s dns-failed, which may pass',
    async (response) => {
      hostile.web.dns.set('troubled.test', response)
      expect(await hostile.fetch('http://troubled.test/', { dns: { timeoutMs: 100 } })).toMatchObject({
        kind: 'network-failure',
        cause: 'dns-failed',
      })
    },
  )

  it('3: rejects a name that was public at the first lookup and is private at the second', async () => {
    const { web } = hostile
    const proxy = await startTunnelProxy()
    web.dns.set('rebinding.test', [PUBLIC], ['127.0.0.1'])
    const fetcher = hostile.fetcher({
      proxy: { url: proxy.url, resolve: 'local' },
      allowPrivateHosts: noHost,
      dns: { minTtlMs: 0 },
    })
    const url = `${web.origin('rebinding.test')}/status/404`
    expect(await fetcher.fetch({ url })).toMatchObject({ kind: 'not-found' })
    // The connection uses the address that was checked.
    expect(proxy.goals).toEqual([PUBLIC])
    const later = hostile.fetcher({ proxy: { url: proxy.url, resolve: 'local' }, allowPrivateHosts: noHost })
    expect(await later.fetch({ url })).toMatchObject({ kind: 'refused', cause: 'address' })
    expect(proxy.goals).toEqual([PUBLIC])
    await proxy.close()
  })

  it('6: connects only to the public address of a mixed response', async () => {
    const { web } = hostile
    const proxy = await startTunnelProxy()
    web.dns.set('mixed.test', ['127.0.0.1', '10.0.0.1', PUBLIC, '::1'])
    const outcome = await hostile.fetch(`${web.origin('mixed.test')}/status/404`, {
      proxy: { url: proxy.url, resolve: 'local' },
      allowPrivateHosts: noHost,
    })
    expect(outcome).toMatchObject({ kind: 'not-found' })
    expect(proxy.goals).toEqual([PUBLIC])
    await proxy.close()
  })

  it('8: tries a few of a thousand addresses, not all', async () => {
    const { web } = hostile
    web.dns.set(
      'many.test',
      Array.from({ length: 1_000 }, (_, i) => `127.99.${i >> 8}.${i & 255}`),
    )
    const outcome = await hostile.fetch(`${web.origin('many.test')}/`)
    expect(outcome).toMatchObject({ kind: 'network-failure', cause: 'connect-refused' })
    expect('detail' in outcome && outcome.detail.match(/127\.99\./g)?.length).toBeLessThanOrEqual(16)
  })
})

describe('addresses', () => {
  const PRIVATE = [
    '0.0.0.0',
    '127.0.0.1',
    '127.9.9.9',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '192.0.0.8',
    '198.18.0.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    'fe80::1',
    'fec0::1',
    'fc00::1',
    'fd12::1',
    'ff02::1',
    '::ffff:127.0.0.1',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::1',
    '2002:7f00:1::',
    '2001:0:7f00:1::',
    '2001:db8::1',
    '100::1',
  ]

  it.each(PRIVATE)('4: refuses %s, as a response of a name server and in a URL', async (address) => {
    hostile.web.dns.set('private.test', [address])
    const refused = { kind: 'refused', cause: 'address' }
    expect(await hostile.fetch('http://private.test/', { allowPrivateHosts: noHost })).toMatchObject(refused)
    const literal = address.includes(':') ? `[${address}]` : address
    expect(await hostile.fetch(`http://${literal}/`, { allowPrivateHosts: noHost })).toMatchObject(refused)
  })

  it.each([
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '127.1',
    '[::ffff:7f00:1]',
    '127.0.0.1.',
    '\u2460\u2461\u2466.0.0.1',
    '\uff11\uff12\uff17.0.0.1',
  ])('5: sees through the disguise of http://%s/', async (host) => {
    const normal = normalizeUrl(`http://${host}/`)
    if (!normal.ok) throw new Error(normal.detail)
    for (const url of [normal.url, `http://${host}/`])
      expect(await hostile.fetch(url, { allowPrivateHosts: noHost })).toMatchObject({
        kind: 'refused',
        cause: 'address',
      })
  })

  it.each(['localhost', 'localhost.'])(
    '5: looks %s up like any name and refuses what it stands for',
    async (host) => {
      hostile.web.dns.set(host, ['127.0.0.1'])
      hostile.web.dns.set('localhost', ['127.0.0.1'])
      expect(await hostile.fetch(`http://${host}/`, { allowPrivateHosts: noHost })).toMatchObject({
        kind: 'refused',
        cause: 'address',
      })
    },
  )

  it.each(['/moved/private', '/moved/metadata', '/moved/disguised'])(
    '7: refuses the hop that %s leads to',
    async (route) => {
      const outcome = await hostile.request(route)
      if (outcome.kind !== 'moved') throw new Error(outcome.kind)
      expect(await hostile.fetch(outcome.to)).toMatchObject({ kind: 'refused', cause: 'address' })
    },
  )

  it.each([22, 25, 6_000, 6_667, 10_080])('17: refuses port %s before it connects', async (port) => {
    const before = hostile.web.dns.lookups.length
    expect(await hostile.fetch(`http://a.test:${port}/`)).toMatchObject({ kind: 'refused', cause: 'port' })
    expect(hostile.web.dns.lookups.length).toBe(before)
  })

  it.each(['file:///etc/passwd', 'ftp://a.test/', 'data:text/html,x', 'ws://a.test/'])(
    '51: does not request %s',
    async (url) => {
      expect(await hostile.fetch(url)).toMatchObject({ kind: 'refused', cause: 'scheme' })
    },
  )
})

describe('connections', () => {
  it('9: reports headers-timeout for a server that accepts and sends nothing', async () => {
    expect(await hostile.request('/silence')).toMatchObject({
      kind: 'network-failure',
      cause: 'headers-timeout',
    })
  })

  it('10: reports connect-timeout for a port that drops every SYN', async () => {
    const hole = await startBlackHole()
    const outcome = await hostile.fetch(`http://a.test:${hole.port}/`, { connectTimeoutMs: 200 })
    expect(outcome).toMatchObject({ kind: 'network-failure', cause: 'connect-timeout' })
    await hole.close()
  })

  it('10: connects to the next address when the first does not respond', async () => {
    const hole = await startBlackHole()
    const server = createServer((socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')),
    )
    await once(server.listen(hole.port, '127.0.0.2'), 'listening')
    hostile.web.dns.set('two.test', ['127.0.0.1', '127.0.0.2'])
    const outcome = await hostile.fetch(`http://two.test:${hole.port}/`, { connectTimeoutMs: 5_000 })
    expect(outcome).toMatchObject({ kind: 'success', response: { address: '127.0.0.2' } })
    server.close()
    await hole.close()
  })

  it('11: reports a refused connection as such', async () => {
    hostile.web.dns.set('refused.test', ['127.99.99.99'])
    expect(await hostile.fetch(`${hostile.web.origin('refused.test')}/`)).toMatchObject({
      kind: 'network-failure',
      cause: 'connect-refused',
    })
  })

  it.each(['reset.test', 'hang-up.test'])('11: tries %s at most once more', async (host) => {
    const before = hostile.web.connectionsTo(host)
    expect(await hostile.fetch(`${hostile.web.origin(host)}/`)).toMatchObject({
      kind: 'network-failure',
      cause: 'reset',
    })
    expect(hostile.web.connectionsTo(host) - before).toBeLessThanOrEqual(2)
  })

  it('11: does not retry by itself; the next request works', async () => {
    expect(await hostile.request('/reset-once')).toMatchObject({ kind: 'network-failure', cause: 'reset' })
    expect(await hostile.request('/reset-once')).toMatchObject({ kind: 'success' })
  })

  it('12: allows the same request on a new connection when a kept one is closed during sending', async () => {
    const fetcher = hostile.fetcher()
    const request = { url: hostile.web.url('/stale-keep-alive') }
    expect(await fetcher.fetch(request)).toMatchObject({ kind: 'success' })
    expect(await fetcher.fetch(request)).toMatchObject({ cause: 'reset', repeatable: true })
    expect(await fetcher.fetch(request)).toMatchObject({ kind: 'success' })
    expect(hostile.web.judge.hits.map((hit) => hit.status)).toEqual([200, 0, 200])
  })

  it.each(['ssh.test', 'smtp.test', 'redis.test', 'tls-alert.test'])(
    '16: calls %s malformed and does not retry',
    async (host) => {
      const before = hostile.web.connectionsTo(host)
      expect(await hostile.fetch(`${hostile.web.origin(host)}/`)).toMatchObject({ kind: 'malformed' })
      expect(hostile.web.connectionsTo(host) - before).toBe(1)
    },
  )
})

describe('TLS', () => {
  it('13: accepts a good certificate', async () => {
    expect(await hostile.fetch(`${hostile.web.secureOrigin('a.test')}/chunked/good`)).toMatchObject({
      kind: 'success',
    })
  })

  it.each([
    ['expired.test', 'CERT_HAS_EXPIRED'],
    ['not-yet-valid.test', 'CERT_NOT_YET_VALID'],
    ['self-signed.test', 'SELF_SIGNED'],
    ['wrong-host.test', 'ALTNAME'],
    ['unknown-ca.test', 'UNABLE_TO_VERIFY'],
    ['sha1.test', ''],
  ])('13: refuses the certificate of %s (%s), unless the operator said otherwise', async (host, code) => {
    const url = `${hostile.web.secureOrigin(host)}/chunked/good`
    expect(await hostile.fetch(url)).toMatchObject({
      kind: 'network-failure',
      cause: 'tls',
      detail: expect.stringContaining(code),
    })
    expect(hostile.web.judge.hits).toEqual([])
    expect(await hostile.fetch(url, { insecureHosts: [host] })).toMatchObject({ kind: 'success' })
  })

  it('14: reports connect-timeout for a handshake that stalls', async () => {
    const outcome = await hostile.fetch(`${hostile.web.secureOrigin('silent.test')}/`, {
      connectTimeoutMs: 200,
    })
    expect(outcome).toMatchObject({ kind: 'network-failure', cause: 'connect-timeout' })
  })

  it('14: refuses a certificate chain of more than 100 KB', async () => {
    expect(await hostile.fetch(`${hostile.web.secureOrigin('huge-chain.test')}/`)).toMatchObject({
      kind: 'network-failure',
      cause: 'tls',
    })
  })

  it('15: sends the host name in the handshake (SNI)', async () => {
    // The server creates a certificate for the name in the SNI extension, and for 127.0.0.1 without one.
    expect(await hostile.fetch(`${hostile.web.secureOrigin('sni.test')}/chunked/good`)).toMatchObject({
      kind: 'success',
    })
  })

  it.each(['h2-garbage.test', 'h2-hang-up.test'])(
    '15: falls back to HTTP/1.1 when the HTTP/2 of %s is none',
    async (host) => {
      const [fetcher, url] = [hostile.fetcher(), `${hostile.web.secureOrigin(host)}/chunked/good`]
      expect(await fetcher.fetch({ url })).toMatchObject({ repeatable: true })
      expect(await fetcher.fetch({ url })).toMatchObject({
        kind: 'success',
        response: { protocol: 'http/1.1' },
      })
    },
  )
})
