import { type AddressInfo, createServer, type Socket, connect as tcpConnect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { type RawServer, startRawServer } from '../../../testing/raw-server.ts'
import type { FetchOutcome } from '../../domain/fetch/fetch-outcome.ts'
import { HttpFetcher, type HttpFetcherOptions } from './http-fetcher.ts'
import type { Resolution } from './resolve.ts'

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi'

const cleanUp: Array<() => Promise<void>> = []

afterEach(async () => {
  for (const close of cleanUp.splice(0).toReversed()) await close()
})

function fetcher(options: Partial<HttpFetcherOptions> = {}): HttpFetcher {
  const made = new HttpFetcher({ agent: { name: 'Weaver', email: 'a@b.example' }, ...options })
  cleanUp.push(() => made.close())
  return made
}

async function serve(
  response: Parameters<typeof startRawServer>[0] = (socket) => socket.write(OK),
): Promise<RawServer> {
  const server = await startRawServer(response)
  cleanUp.push(() => server.close())
  return server
}

const resolution = (...addresses: string[]): Resolution => ({
  ok: true,
  addresses: addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
})

// Every address dialled here is loopback, so that a broken guard cannot lead a test off this machine; the table of all the others
// is in globally-routable.test.ts.
describe('an address', () => {
  it.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://127.1/',
    'http://①②⑦.0.0.1/',
    'http://[::1]/',
    'http://[::ffff:7f00:1]/',
    'http://[::ffff:127.0.0.1]/',
    'https://0.0.0.0/',
  ])('in %s is refused', async (url) => {
    expect(await fetcher().fetch({ url })).toMatchObject({ kind: 'refused', cause: 'address' })
  })

  it('is refused when a name stands for it', async () => {
    const resolve = (): Promise<Resolution> => Promise.resolve(resolution('127.0.0.2', '::1'))
    const outcome = await fetcher({ resolve }).fetch({ url: 'http://inside.test/' })
    expect(outcome).toMatchObject({
      kind: 'refused',
      cause: 'address',
      detail: 'inside.test has no public address, only 127.0.0.2, ::1; --allow-host inside.test permits it',
    })
  })

  it('is told of once per host, and for a few hosts only', async () => {
    const told: string[] = []
    const web = fetcher({
      resolve: () => Promise.resolve(resolution('127.0.0.2')),
      onRefusedHost: (reason) => told.push(reason),
    })
    for (const host of ['a', 'a', 'b', 'c', 'd', 'e', 'f']) await web.fetch({ url: `http://${host}.test/` })
    expect(told.map((reason) => reason.slice(0, 6))).toEqual([
      'a.test',
      'b.test',
      'c.test',
      'd.test',
      'e.test',
    ])
    expect(told[0]).toContain('--allow-host a.test')
  })

  it('is allowed for the hosts that the operator named, with or without a dot at the end', async () => {
    const { port } = await serve()
    const options = {
      resolve: (): Promise<Resolution> => Promise.resolve(resolution('127.0.0.1')),
      allowPrivateHosts: (host: string) => host === 'seed.test' || host === '127.0.0.1',
    }
    const web = fetcher(options)
    const kinds: string[] = []
    for (const host of ['seed.test', 'seed.test.', '127.0.0.1', '127.0.0.2', 'other.test'])
      kinds.push((await web.fetch({ url: `http://${host}:${port}/` })).kind)
    expect(kinds).toEqual(['success', 'success', 'success', 'refused', 'refused'])
  })

  it('of a cloud metadata service is refused to a name that may stand for a local network', async () => {
    const { port } = await serve()
    const allowPrivateHosts = () => 'local-network' as const
    const fetchAt = (...addresses: string[]) =>
      fetcher({ resolve: () => Promise.resolve(resolution(...addresses)), allowPrivateHosts }).fetch({
        url: `http://wiki.corp:${port}/`,
      })
    expect(await fetchAt('127.0.0.1')).toMatchObject({ kind: 'success' })
    // Of both addresses only the one of the local network is dialled.
    expect(await fetchAt('169.254.169.254', '127.0.0.1')).toMatchObject({ kind: 'success' })
    for (const address of ['169.254.169.254', '168.63.129.16', 'fd00:ec2::254'])
      expect(await fetchAt(address)).toMatchObject({ kind: 'refused', cause: 'address' })
  })

  it('is judged again each time a connection is made', async () => {
    const { port } = await serve((socket) => socket.end(`${OK}`))
    const responses = [resolution('127.0.0.1'), resolution('127.0.0.2')]
    const clock = new FakeClock()
    const web = fetcher({
      clock,
      resolve: () => Promise.resolve(responses.shift() ?? resolution()),
      // Stands for the judgement of a public address, which no test can dial.
      allowPrivateHosts: () => responses.length === 1,
    })
    const url = `http://rebound.test:${port}/`
    expect((await web.fetch({ url })).kind).toBe('success')
    clock.advance(60_000)
    expect(await web.fetch({ url })).toMatchObject({ kind: 'refused', cause: 'address' })
  })
})

describe('a name', () => {
  it.each<[string, Resolution, object]>([
    [
      'that does not exist',
      { ok: false, reason: 'not-found', detail: 'ENOTFOUND' },
      { cause: 'dns-not-found' },
    ],
    [
      'that cannot be looked up',
      { ok: false, reason: 'failed', detail: 'ESERVFAIL' },
      { cause: 'dns-failed' },
    ],
    ['without an address', resolution(), { cause: 'dns-not-found' }],
  ])('%s is a failure of its own', async (_, response, expected) => {
    const outcome = await fetcher({ resolve: () => Promise.resolve(response) }).fetch({
      url: 'http://a.test/',
    })
    expect(outcome).toMatchObject({ kind: 'network-failure', ...expected })
  })

  it('is looked up once, and its time is recorded', async () => {
    const { port } = await serve((socket) => socket.end(OK))
    let lookups = 0
    const web = fetcher({
      allowPrivateHosts: () => true,
      resolve: () => Promise.resolve(lookups++ === 0 ? resolution('127.0.0.1') : resolution()),
    })
    const first = await web.fetch({ url: `http://a.test:${port}/` })
    const second = await web.fetch({ url: `http://a.test:${port}/` })
    expect([first.kind, second.kind]).toEqual(['success', 'success'])
    expect([first.timings.dnsMs === undefined, second.timings.dnsMs === undefined]).toEqual([false, true])
  })

  it('with several addresses is tried at each', async () => {
    const { port } = await serve()
    const resolve = (): Promise<Resolution> => Promise.resolve(resolution('127.0.0.77', '127.0.0.1'))
    const outcome = await fetcher({ resolve, allowPrivateHosts: () => true }).fetch({
      url: `http://a.test:${port}/`,
    })
    expect(outcome).toMatchObject({ kind: 'success', response: { address: '127.0.0.1' } })
  })
})

describe('a connection', () => {
  it('that is refused says so', async () => {
    const server = await serve()
    await server.close()
    cleanUp.pop()
    const outcome = await fetcher({ allowPrivateHosts: () => true }).fetch({ url: server.origin })
    expect(outcome).toMatchObject({ kind: 'network-failure', cause: 'connect-refused' })
  })

  it('that does not come about is given up in time', async () => {
    // It accepts and never shakes hands.
    const server = createServer(() => {}).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const sockets: Socket[] = []
    const { promise: accepted, resolve: accept } = Promise.withResolvers<void>()
    server.on('connection', (socket) => {
      sockets.push(socket)
      accept()
    })
    cleanUp.push(async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    })
    const clock = new FakeClock()
    const outcome = fetcher({ clock, allowPrivateHosts: () => true }).fetch({
      url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    })
    await accepted
    clock.advance(10_000)
    expect(await outcome).toMatchObject({ kind: 'network-failure', cause: 'connect-timeout' })
  })
})

describe('a proxy', () => {
  /** Accepts a TCP connection, hands it to `greet`, and joins it to the port that comes back. */
  async function startProxy(greet: (client: Socket, data: Buffer) => number | undefined): Promise<number> {
    const sockets = new Set<Socket>()
    const server = createServer((client) => {
      sockets.add(client)
      client.on('error', () => {})
      client.on('data', function talk(data) {
        const port = greet(client, data)
        if (port === undefined) return
        client.off('data', talk)
        const goal = tcpConnect(port, '127.0.0.1')
        sockets.add(goal)
        goal.on('error', () => client.destroy())
        client.pipe(goal).pipe(client)
      })
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    cleanUp.push(async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    })
    return (server.address() as AddressInfo).port
  }

  const fetchThrough = (
    proxy: HttpFetcherOptions['proxy'] & object,
    url: string,
    more: Partial<HttpFetcherOptions> = {},
  ): Promise<FetchOutcome> => fetcher({ proxy, ...more }).fetch({ url })

  it('gets an http request as it is, with the whole URL and its own password', async () => {
    const proxy = await serve()
    const outcome = await fetchThrough(
      { url: `http://me:s%20cret@127.0.0.1:${proxy.port}`, resolve: 'proxy' },
      'http://somewhere.test/a?b',
    )
    expect(outcome).toMatchObject({ kind: 'success', response: { address: '127.0.0.1' } })
    expect(proxy.heads[0]).toMatch(
      /^GET http:\/\/somewhere\.test\/a\?b HTTP\/1\.1\r\nhost: somewhere\.test\r\n/,
    )
    expect(proxy.heads[0]).toContain(
      `proxy-authorization: Basic ${Buffer.from('me:s cret').toString('base64')}`,
    )
  })

  it('is not used for the hosts that are to be connected directly', async () => {
    const { port, heads } = await serve()
    const proxy = { url: 'http://127.0.0.1:1', noProxy: ['direct.test'] }
    const more = { resolve: async () => resolution('127.0.0.1'), allowPrivateHosts: () => true }
    expect((await fetchThrough(proxy, `http://direct.test:${port}/`, more)).kind).toBe('success')
    expect((await fetchThrough(proxy, `http://www.direct.test:${port}/`, more)).kind).toBe('success')
    expect(await fetchThrough(proxy, `http://indirect.test:${port}/`, more)).toMatchObject({ cause: 'proxy' })
    expect(heads).toHaveLength(2)
  })

  it.each(['http', 'socks5'])(
    'over %s does not save a private address from being refused',
    async (scheme) => {
      const outcome = await fetchThrough({ url: `${scheme}://127.0.0.1:1` }, 'http://10.0.0.1/')
      expect(outcome).toMatchObject({ kind: 'refused', cause: 'address' })
    },
  )

  it('that resolves nothing itself is told the address that was judged', async () => {
    const goal = await serve()
    let received = ''
    const port = await startProxy((client, data) => {
      received = data.toString()
      client.write('HTTP/1.1 200 Go\r\n\r\n')
      return goal.port
    })
    const proxy = { url: `http://127.0.0.1:${port}`, resolve: 'local' } as const
    const publicName = { resolve: async () => resolution('10.0.0.1', '192.0.32.8') }
    expect((await fetchThrough(proxy, 'http://mixed.test/x', publicName)).kind).toBe('success')
    expect(received).toMatch(/^CONNECT 192\.0\.32\.8:80 HTTP\/1\.1\r\n/)
    expect(goal.heads[0]).toMatch(/^GET \/x HTTP\/1\.1\r\nhost: mixed\.test\r\n/)
    const privateName = { resolve: async () => resolution('10.0.0.1') }
    expect(await fetchThrough(proxy, 'http://inside.test/', privateName)).toMatchObject({
      kind: 'refused',
      cause: 'address',
    })
  })

  it.each([
    ['wants a password', 'HTTP/1.1 407 Who?\r\nContent-Length: 0\r\n\r\n'],
    ['speaks something else', 'hello\r\n\r\n'],
  ])('that %s is a failure of the proxy', async (_, response) => {
    const port = await startProxy((client) => void client.write(response))
    const outcome = await fetchThrough(
      { url: `http://127.0.0.1:${port}`, resolve: 'proxy' },
      'https://somewhere.test/',
    )
    expect(outcome).toMatchObject({ kind: 'network-failure', cause: 'proxy' })
  })

  it.each([
    [403, 'connect-refused'],
    [502, 'connect-failed'],
    [504, 'connect-failed'],
  ])('that responds to CONNECT with %s is a failure of the host', async (status, cause) => {
    const port = await startProxy((client) => void client.write(`HTTP/1.1 ${status} No\r\n\r\n`))
    const resolve = async () => resolution('192.0.32.8')
    const outcome = await fetchThrough({ url: `http://127.0.0.1:${port}` }, 'http://a.test/', { resolve })
    expect(outcome).toMatchObject({ cause, detail: expect.stringContaining(`192.0.32.8:80 with ${status}`) })
  })

  it('that wants a password for an http request is a failure of the proxy', async () => {
    const { port } = await serve((socket) => socket.write('HTTP/1.1 407 Who?\r\nContent-Length: 0\r\n\r\n'))
    const outcome = await fetchThrough(
      { url: `http://me:secret@127.0.0.1:${port}`, resolve: 'proxy' },
      'http://somewhere.test/',
    )
    expect(outcome).toMatchObject({ kind: 'network-failure', cause: 'proxy' })
    expect(JSON.stringify(outcome)).not.toContain('secret')
  })

  it('gets the name, after its address was checked, if both resolve', async () => {
    const proxy = await serve()
    const options = { url: `http://127.0.0.1:${proxy.port}`, resolve: 'both' } as const
    const resolve = async (host: string) => resolution(host === 'a.test' ? '192.0.32.8' : '10.0.0.1')
    expect((await fetchThrough(options, 'http://a.test/x', { resolve })).kind).toBe('success')
    expect(proxy.heads[0]).toMatch(/^GET http:\/\/a\.test\/x /)
    expect(await fetchThrough(options, 'http://inside.test/', { resolve })).toMatchObject({
      cause: 'address',
    })
    expect(proxy.heads).toHaveLength(1)
  })

  it('is not given names that cannot be resolved here, unless it resolves', async () => {
    const proxy = await serve()
    const resolve = async () => ({ ok: false, reason: 'not-found', detail: 'no such name' }) as const
    const outcome = await fetchThrough({ url: `http://127.0.0.1:${proxy.port}` }, 'http://a.test/', {
      resolve,
    })
    expect(outcome).toMatchObject({
      cause: 'dns-not-found',
      detail: expect.stringContaining("set resolve of http.proxy to 'proxy'"),
    })
    expect(proxy.heads).toEqual([])
  })

  it('that resolves names is not sent to names of a local network, unless the operator allows them', async () => {
    const proxy = await serve()
    const options = { url: `http://127.0.0.1:${proxy.port}`, resolve: 'proxy' } as const
    for (const host of ['localhost', 'a.localhost', 'metadata.google.internal', 'wiki', 'nas.local'])
      for (const scheme of ['http', 'https'])
        expect(await fetchThrough(options, `${scheme}://${host}/`)).toMatchObject({
          kind: 'refused',
          cause: 'address',
          detail: expect.stringContaining(`--allow-host ${host}`),
        })
    expect(proxy.heads).toEqual([])
    const allowPrivateHosts = (host: string) => host === 'wiki'
    expect((await fetchThrough(options, 'http://wiki/', { allowPrivateHosts })).kind).toBe('success')
  })

  it('that is not there is a failure of the proxy', async () => {
    for (const scheme of ['http', 'socks5'])
      expect(await fetchThrough({ url: `${scheme}://127.0.0.1:1` }, 'http://192.0.32.8/')).toMatchObject({
        cause: 'proxy',
      })
  })

  describe('over SOCKS5', () => {
    const CONNECTED = Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0])

    it.each([
      ['a name', 'somewhere.test', Buffer.from('\x05\x01\x00\x03\x0esomewhere.test\x00\x50', 'latin1')],
      ['an IPv4 address', '192.0.32.8', Buffer.from([5, 1, 0, 1, 192, 0, 32, 8, 0, 80])],
      [
        'an IPv6 address',
        '[2606:4700::1]',
        Buffer.from([5, 1, 0, 4, 0x26, 0x06, 0x47, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 80]),
      ],
    ])('gets a request for %s', async (_, host, request) => {
      const goal = await serve()
      const said: Buffer[] = []
      const port = await startProxy((client, data) => {
        said.push(data)
        client.write(said.length === 1 ? Buffer.from([5, 0]) : CONNECTED)
        return said.length === 1 ? undefined : goal.port
      })
      expect((await fetchThrough({ url: `socks5h://127.0.0.1:${port}` }, `http://${host}/`)).kind).toBe(
        'success',
      )
      expect(said).toEqual([Buffer.from([5, 1, 0]), request])
    })

    it('is given name and password', async () => {
      const goal = await serve()
      const said: Buffer[] = []
      const responses = [Buffer.from([5, 2]), Buffer.from([1, 0]), CONNECTED]
      const port = await startProxy((client, data) => {
        client.write(responses[said.push(data) - 1] ?? Buffer.alloc(0))
        return said.length === 3 ? goal.port : undefined
      })
      expect(
        (await fetchThrough({ url: `socks5h://me:secret@127.0.0.1:${port}` }, 'http://a.test/')).kind,
      ).toBe('success')
      expect(said[1]?.toString('latin1')).toBe('\x01\x02me\x06secret')
    })

    it.each([
      [
        'refuses the password',
        [
          [5, 2],
          [1, 1],
        ],
        'proxy',
      ],
      ['wants another way to log in', [[5, 255]], 'proxy'],
      ['does not speak SOCKS5', [[72, 84]], 'proxy'],
      [
        'fails',
        [
          [5, 2],
          [1, 0],
          [5, 1, 0, 1],
        ],
        'connect-failed',
      ],
      [
        'says that the host refuses',
        [
          [5, 2],
          [1, 0],
          [5, 5, 0, 1],
        ],
        'connect-refused',
      ],
      [
        'says that the host cannot be reached',
        [
          [5, 2],
          [1, 0],
          [5, 4, 0, 1],
        ],
        'connect-failed',
      ],
    ])('may fail: %s', async (_, responses, cause) => {
      let said = 0
      const port = await startProxy((client) => void client.write(Buffer.from(responses[said++] ?? [])))
      const outcome = await fetchThrough({ url: `socks5h://me:secret@127.0.0.1:${port}` }, 'http://a.test/')
      expect(outcome).toMatchObject({ kind: 'network-failure', cause })
    })

    it.each([
      ['hang up', (client: Socket) => client.end()],
      ['slam the door', (client: Socket) => client.resetAndDestroy()],
    ])('may %s', async (_, leave) => {
      const port = await startProxy((client) => void leave(client))
      expect(await fetchThrough({ url: `socks5h://127.0.0.1:${port}` }, 'http://a.test/')).toMatchObject({
        cause: 'proxy',
      })
    })

    it('may fall silent, and is given up in time', async () => {
      const clock = new FakeClock()
      const { promise: greeted, resolve: greet } = Promise.withResolvers<Socket>()
      const port = await startProxy((client) => void greet(client))
      const outcome = fetchThrough({ url: `socks5h://127.0.0.1:${port}` }, 'http://a.test/', { clock })
      const proxySide = await greeted
      const hungUp = new Promise((resolve) => proxySide.once('close', resolve))
      clock.advance(10_000)
      expect(await outcome).toMatchObject({ kind: 'network-failure', cause: 'connect-timeout' })
      await hungUp
    })
  })
})
