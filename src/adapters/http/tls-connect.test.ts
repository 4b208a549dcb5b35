import { createSecureServer, type ServerHttp2Stream } from 'node:http2'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { makeCertificates } from '../../../testing/certificates.ts'
import { steadyClock } from '../../base/clock.ts'
import { HttpFetcher, type HttpFetcherOptions } from './http-fetcher.ts'

const certificates = makeCertificates(['site.test', '127.0.0.1'])
const cleanUp: Array<() => Promise<void>> = []

afterEach(async () => {
  for (const close of cleanUp.splice(0).toReversed()) await close()
})

function fetcher(options: Partial<HttpFetcherOptions> = {}): HttpFetcher {
  const made = new HttpFetcher({
    agent: { name: 'Weaver', email: 'a@b.example' },
    allowPrivateHosts: () => true,
    resolve: async () => ({ ok: true, addresses: [{ address: '127.0.0.1', family: 4 }] }),
    extraCertificates: [certificates.ca],
    ...options,
  })
  cleanUp.push(() => made.close())
  return made
}

/** Starts a TLS server and gives its port. */
async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => sockets.add(socket))
  server.on('tlsClientError', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanUp.push(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

describe('TLS', () => {
  it.each(['site.test', '127.0.0.1'])('is trusted when the certificate is for %s', async (host) => {
    const port = await listen(
      createHttpsServer(certificates.good, (_request, response) => response.end('hi')),
    )
    expect(await fetcher().fetch({ url: `https://${host}:${port}/` })).toMatchObject({
      kind: 'success',
      response: { protocol: 'http/1.1', address: '127.0.0.1' },
    })
  })

  it.each([
    ['expired', 'CERT_HAS_EXPIRED'],
    ['selfSigned', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['unknownCa', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    ['wrongHost', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ] as const)('is not when it is %s, unless the operator named the host', async (kind, code) => {
    const port = await listen(
      createHttpsServer(certificates[kind], (_request, response) => response.end('hi')),
    )
    const url = `https://site.test:${port}/`
    expect(await fetcher().fetch({ url })).toMatchObject({
      kind: 'network-failure',
      cause: 'tls',
      detail: expect.stringContaining(code),
    })
    expect((await fetcher({ insecureHosts: ['site.test'] }).fetch({ url })).kind).toBe('success')
    expect(await fetcher({ insecureHosts: ['other.test'] }).fetch({ url })).toMatchObject({ cause: 'tls' })
  })

  it('is verified whatever the environment says', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
    const port = await listen(
      createHttpsServer(certificates.selfSigned, (_request, response) => response.end('hi')),
    )
    expect(await fetcher().fetch({ url: `https://site.test:${port}/` })).toMatchObject({ cause: 'tls' })
    vi.unstubAllEnvs()
  })

  it('is not what a plain server speaks', async () => {
    const server = createServer((socket) => socket.once('data', () => socket.end('HTTP/1.1 400 No\r\n\r\n')))
    const port = await listen(server)
    expect(await fetcher().fetch({ url: `https://site.test:${port}/` })).toMatchObject({
      kind: 'network-failure',
      cause: 'tls',
    })
  })

  it('that is cut off in the handshake is a reset', async () => {
    const server = createTlsServer(certificates.good)
    server.on('connection', (socket: Socket) => socket.destroy())
    const port = await listen(server)
    expect(await fetcher().fetch({ url: `https://site.test:${port}/` })).toMatchObject({
      kind: 'network-failure',
      cause: 'reset',
    })
  })

  it('is resumed where the server lets us', async () => {
    let resumed = 0
    const server = createHttpsServer(certificates.good, (_request, response) =>
      response.setHeader('connection', 'close').end('hi'),
    )
    server.on('secureConnection', (socket) => {
      if (socket.isSessionReused()) resumed++
    })
    const port = await listen(server)
    const web = fetcher()
    await web.fetch({ url: `https://site.test:${port}/` })
    await web.fetch({ url: `https://site.test:${port}/` })
    expect(resumed).toBe(1)
  })
})

describe('HTTP/2', () => {
  /** Responds to HTTP/1.1 with a page, to HTTP/2 as told. */
  function startHttp2(onStream: (stream: ServerHttp2Stream) => void): Promise<number> {
    const server = createSecureServer({ ...certificates.good, allowHTTP1: true }, (request, response) => {
      if (request.httpVersion === '1.1') response.end('old')
    })
    return listen(server.on('stream', onStream))
  }

  it('is spoken where it is offered, over one connection', async () => {
    let sessions = 0
    const server = createSecureServer(certificates.good)
    server.on('session', () => sessions++)
    server.on('stream', (stream) => {
      stream.respond({ ':status': 200, 'content-type': 'text/plain', 'set-cookie': ['a=1', 'b=2'] })
      stream.end('new')
    })
    const port = await listen(server)
    const web = fetcher()
    for (let i = 0; i < 2; i++) {
      const outcome = await web.fetch({ url: `https://site.test:${port}/` })
      expect(outcome).toMatchObject({ kind: 'success', response: { protocol: 'h2', status: 200 } })
      if (outcome.kind !== 'success') return
      expect(Buffer.from(outcome.body.bytes).toString()).toBe('new')
      expect(outcome.response.headers.filter(([name]) => name === 'set-cookie')).toEqual([
        ['set-cookie', 'a=1'],
        ['set-cookie', 'b=2'],
      ])
    }
    expect(sessions).toBe(1)
  })

  it('is left alone when it is turned off', async () => {
    const port = await startHttp2(() => {})
    const outcome = await fetcher({ http2: false }).fetch({ url: `https://site.test:${port}/` })
    expect(outcome).toMatchObject({ kind: 'success', response: { protocol: 'http/1.1' } })
  })

  it('gives way to HTTP/1.1 after a reset stream, and is tried again later', async () => {
    let streams = 0
    const port = await startHttp2((stream) => {
      if (streams++ === 0) stream.close(2)
      else {
        stream.respond()
        stream.end('hi')
      }
    })
    let lateMs = 0
    const clock = { now: () => steadyClock.now() + lateMs, after: steadyClock.after.bind(steadyClock) }
    const web = fetcher({ clock })
    const url = `https://site.test:${port}/`
    expect(await web.fetch({ url })).toMatchObject({ cause: 'reset', repeatable: true })
    // HEAD, as a connection is not kept after it.
    for (let i = 0; i < 2; i++)
      expect(await web.fetch({ url, method: 'HEAD' })).toMatchObject({
        kind: 'success',
        response: { protocol: 'http/1.1' },
      })
    expect(streams).toBe(1)
    lateMs = 60_000
    expect(await web.fetch({ url })).toMatchObject({ kind: 'success', response: { protocol: 'h2' } })
  })

  it('gives way to HTTP/1.1 where it is only claimed', async () => {
    const server = createTlsServer({ ...certificates.good, ALPNProtocols: ['h2', 'http/1.1'] }, (socket) => {
      socket.on('error', () => {})
      socket.once('data', () =>
        socket.write(
          socket.alpnProtocol === 'h2'
            ? 'HTTP/1.1 400 What?\r\n\r\n'
            : 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi',
        ),
      )
    })
    const port = await listen(server)
    const web = fetcher()
    expect(await web.fetch({ url: `https://site.test:${port}/` })).toMatchObject({ repeatable: true })
    const outcome = await web.fetch({ url: `https://site.test:${port}/` })
    expect(outcome).toMatchObject({ kind: 'success', response: { protocol: 'http/1.1' } })
  })

  it('keeps what came of a body that was broken off', async () => {
    const { promise: read, resolve: wasRead } = Promise.withResolvers<void>()
    const port = await startHttp2((stream) => {
      stream.respond()
      stream.write('part', () => setImmediate(wasRead))
      read.then(() => stream.session?.socket.destroy())
    })
    const outcome = await fetcher().fetch({ url: `https://site.test:${port}/` })
    expect(outcome).toMatchObject({ kind: 'success', body: { truncated: 'disconnect' } })
  })
})

describe('a proxy', () => {
  it('of https is verified, and is given the tunnel to open', async () => {
    const goal = await listen(
      createHttpsServer(certificates.good, (_request, response) => response.end('hi')),
    )
    const requested: string[] = []
    const proxy = createHttpsServer(certificates.good)
    proxy.on('connect', (request, client: Socket) => {
      requested.push(`${request.url} ${request.headers['proxy-authorization']}`)
      client.write('HTTP/1.1 200 Go\r\n\r\n')
      const out = connect(goal, '127.0.0.1')
      out.on('error', () => client.destroy())
      client.on('error', () => out.destroy())
      client.pipe(out).pipe(client)
    })
    const port = await listen(proxy)
    const url = 'https://site.test/'
    const good = await fetcher({ proxy: { url: `https://me:x@127.0.0.1:${port}`, resolve: 'proxy' } }).fetch({
      url,
    })
    expect(good.kind).toBe('success')
    expect(requested).toEqual([`site.test:443 Basic ${Buffer.from('me:x').toString('base64')}`])
    const untrusted = await fetcher({
      extraCertificates: [],
      proxy: { url: `https://127.0.0.1:${port}` },
    }).fetch({ url })
    expect(untrusted).toMatchObject({ kind: 'network-failure', cause: 'proxy' })
  })
})
