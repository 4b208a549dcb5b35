import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { LeapClock } from '../../../testing/leap-clock.ts'
import { type RawServer, startRawServer } from '../../../testing/raw-server.ts'
import { HttpFetcher, type HttpFetcherOptions } from './http-fetcher.ts'

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi'

const cleanUp: Array<() => Promise<void>> = []

afterEach(async () => {
  for (const close of cleanUp.splice(0).toReversed()) await close()
})

function fetcher(options: Partial<HttpFetcherOptions> = {}): HttpFetcher {
  const made = new HttpFetcher({
    agent: { name: 'Weaver', email: 'a@b.example' },
    allowPrivateHosts: () => true,
    ...options,
  })
  cleanUp.push(() => made.close())
  return made
}

async function serve(...args: Parameters<typeof startRawServer>): Promise<RawServer> {
  const server = await startRawServer(...args)
  cleanUp.push(() => server.close())
  return server
}

const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => socket.once('close', () => resolve()))

it('uses a connection again', async () => {
  const server = await serve((socket) => socket.write(OK))
  const web = fetcher()
  const first = await web.fetch({ url: server.origin })
  const second = await web.fetch({ url: server.origin })
  expect([first.kind, second.kind, server.connections]).toEqual(['success', 'success', 1])
  expect(first.timings.connectMs).toBeDefined()
  expect(second.timings.connectMs).toBeUndefined()
})

it('reads the rest of a short unwanted response, to use the connection again', async () => {
  const server = await serve((socket) => socket.write('HTTP/1.1 404 No\r\nContent-Length: 2\r\n\r\nno'))
  const web = fetcher()
  await web.fetch({ url: server.origin })
  await web.fetch({ url: server.origin })
  expect(server.connections).toBe(1)
})

it('does not read the rest of a long one', async () => {
  const server = await serve((socket) =>
    socket.write(`HTTP/1.1 404 No\r\nContent-Length: 999999\r\n\r\n${'x'.repeat(100_000)}`),
  )
  const web = fetcher()
  expect((await web.fetch({ url: server.origin })).kind).toBe('not-found')
  expect((await web.fetch({ url: server.origin })).kind).toBe('not-found')
  expect(server.connections).toBe(2)
})

it('does not use a connection again that the server closes', async () => {
  const server = await serve((socket) =>
    socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi'),
  )
  const web = fetcher()
  await web.fetch({ url: server.origin })
  expect((await web.fetch({ url: server.origin })).kind).toBe('success')
  expect(server.connections).toBe(2)
})

it.each([
  ['more than the length', `${OK}HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong`],
  ['a body with 204', 'HTTP/1.1 204 None\r\nContent-Length: 5\r\n\r\nwrong'],
  ['a body with 304', 'HTTP/1.1 304 Same\r\nContent-Length: 5\r\n\r\nwrong'],
])('does not take %s for the next response', async (_, response) => {
  const server = await serve((socket, head) => socket.write(head.startsWith('GET /right') ? OK : response))
  const web = fetcher()
  await web.fetch({ url: server.origin })
  const outcome = await web.fetch({ url: `${server.origin}/right` })
  expect(outcome.kind === 'success' && Buffer.from(outcome.body.bytes).toString()).toBe('hi')
})

describe('what the other end did while a connection lay idle', () => {
  /** A server that received one request, and its end of the idle connection. */
  async function askedOnce(web: HttpFetcher): Promise<readonly [RawServer, Socket]> {
    const sockets: Socket[] = []
    const server = await serve((socket) => {
      sockets.push(socket)
      socket.write(OK)
    })
    await web.fetch({ url: server.origin })
    const [socket = expect.fail()] = sockets
    return [server, socket]
  }

  it('is not taken for the next response, although it is not read yet', async () => {
    const web = fetcher()
    const [server, socket] = await askedOnce(web)
    socket.write('HTTP/1.1 404 No\r\nContent-Length: 2\r\n\r\nno')
    expect((await web.fetch({ url: server.origin })).kind).toBe('success')
    expect(server.connections).toBe(2)
  })

  it('is found out before a request is sent that must not be sent twice', async () => {
    const web = fetcher()
    const [server, socket] = await askedOnce(web)
    socket.destroy()
    expect((await web.fetch({ url: server.origin, method: 'POST' })).kind).toBe('success')
    expect([server.heads.length, server.connections]).toEqual([2, 2])
  })
})

it.each([
  ['at the end of this turn, when it was used a moment ago', 4, 2],
  ['after another turn, when it may have been closed since', 5, 3],
])('sends on a kept connection %s', async (_, idleMs, steps) => {
  const server = await serve((socket) => socket.write(OK))
  const clock = new LeapClock()
  const web = fetcher({ clock })
  await web.fetch({ url: server.origin })
  await nextTurn()
  clock.advance(idleMs)
  let sentAt: number | undefined
  // The first of them is queued before the request has its connection.
  let step = 0
  const mayBeSent = (): boolean => {
    sentAt = step
    return true
  }
  const response = web.fetch({ url: server.origin, mayBeSent })
  while (sentAt === undefined) {
    step++
    await nextTurn()
  }
  expect(sentAt).toBe(steps)
  expect((await response).kind).toBe('success')
  expect(server.connections).toBe(1)
})

it('says that a request may be repeated when a kept connection was closed as it sent', async () => {
  const server = await serve((socket, _head, index) => (index === 1 ? socket.destroy() : socket.write(OK)))
  const web = fetcher()
  await web.fetch({ url: server.origin })
  expect(await web.fetch({ url: server.origin })).toMatchObject({ cause: 'reset', repeatable: true })
  expect([server.heads.length, server.connections]).toEqual([2, 1])
  expect((await web.fetch({ url: server.origin })).kind).toBe('success')
  expect(server.connections).toBe(2)
})

it('repeats on a new connection even when several kept ones are dead', async () => {
  const server = await serve((socket, head) =>
    head.startsWith('GET /second') && server.connections <= 2 ? socket.destroy() : socket.write(OK),
  )
  const web = fetcher()
  await Promise.all([web.fetch({ url: server.origin }), web.fetch({ url: server.origin })])
  expect(server.connections).toBe(2)
  expect(await web.fetch({ url: `${server.origin}/second` })).toMatchObject({ repeatable: true })
  expect((await web.fetch({ url: `${server.origin}/second` })).kind).toBe('success')
  expect(server.connections).toBe(3)
})

it('does not call repeatable what must not be sent twice', async () => {
  const server = await serve((socket, head) =>
    head.startsWith('POST') ? socket.destroy() : socket.write(OK),
  )
  const web = fetcher()
  await web.fetch({ url: server.origin })
  const outcome = await web.fetch({ url: server.origin, method: 'POST' })
  expect(outcome).toMatchObject({ cause: 'reset' })
  expect(outcome).not.toHaveProperty('repeatable')
})

it('does not call repeatable what failed on a new connection', async () => {
  const server = await serve((socket) => socket.destroy())
  const outcome = await fetcher().fetch({ url: server.origin })
  expect(outcome).toMatchObject({ kind: 'network-failure', cause: 'reset' })
  expect(outcome).not.toHaveProperty('repeatable')
})

it('does not call repeatable what failed after the response had begun', async () => {
  const server = await serve((socket, _head, index) =>
    index === 1 ? socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n') : socket.write(OK),
  )
  const web = fetcher()
  await web.fetch({ url: server.origin })
  const outcome = await web.fetch({ url: server.origin })
  expect(outcome).toMatchObject({ cause: 'reset' })
  expect(outcome).not.toHaveProperty('repeatable')
})

it('dials anew when a connection was closed while it lay idle', async () => {
  const sockets: Socket[] = []
  const server = await serve((socket) => {
    sockets.push(socket)
    socket.write(OK)
  })
  const web = fetcher()
  await web.fetch({ url: server.origin })
  for (const socket of sockets) socket.destroy()
  await Promise.all(sockets.map(closed))
  expect((await web.fetch({ url: server.origin })).kind).toBe('success')
  expect(server.heads).toHaveLength(2)
})

it('opens a second connection only while the first is busy, and no more than it may', async () => {
  const held: Socket[] = []
  const server = await serve((socket) => void held.push(socket))
  const web = fetcher({ maxConnectionsPerOrigin: 2 })
  const outcomes = [1, 2, 3].map(() => web.fetch({ url: server.origin }))
  await server.requests(2)
  expect(server.connections).toBe(2)
  for (const socket of held) socket.write(OK)
  await server.requests(3)
  held.at(-1)?.write(OK)
  expect((await Promise.all(outcomes)).map(({ kind }) => kind)).toEqual(['success', 'success', 'success'])
  expect(server.connections).toBe(2)
})

it('closes the connection that lay idle for longest to make room for another origin', async () => {
  const sockets: Socket[] = []
  const response = (socket: Socket): void => {
    sockets.push(socket)
    socket.write(OK)
  }
  const [a, b, c] = [await serve(response), await serve(response), await serve(response)]
  const web = fetcher({ maxConnections: 2 })
  await web.fetch({ url: a.origin })
  await web.fetch({ url: b.origin })
  const [first] = sockets
  await Promise.all([web.fetch({ url: c.origin }), first && closed(first)])
  await web.fetch({ url: b.origin })
  expect([a.connections, b.connections, c.connections]).toEqual([1, 1, 1])
})

it('lets requests wait when every connection is busy, and lets them go when they are called off', async () => {
  const held: Socket[] = []
  const slow = await serve((socket) => void held.push(socket))
  const quick = await serve((socket) => socket.write(OK))
  const web = fetcher({ maxConnections: 1 })
  const first = web.fetch({ url: slow.origin })
  await slow.requests(1)
  const controller = new AbortController()
  const calledOff = web.fetch({ url: quick.origin, signal: controller.signal })
  const patient = web.fetch({ url: quick.origin })
  controller.abort()
  expect(await calledOff).toMatchObject({ kind: 'network-failure', cause: 'aborted' })
  expect(quick.connections).toBe(0)
  held[0]?.write(OK)
  expect([(await first).kind, (await patient).kind]).toEqual(['success', 'success'])
})

it('closes an idle connection after a while', async () => {
  const sockets: Socket[] = []
  const server = await serve((socket) => {
    sockets.push(socket)
    socket.write(OK)
  })
  await fetcher({ keepAliveMs: 10 }).fetch({ url: server.origin })
  await Promise.all(sockets.map(closed))
  expect(sockets).toHaveLength(1)
})

describe('an idle connection after two seconds', () => {
  /** Fetches from a server, and from another one when two seconds have passed. Returns how the second request to the first server went. */
  async function usedAgain(isFollowed: () => boolean, afterMs = 2_000): Promise<boolean> {
    const clock = new FakeClock()
    const [server, other] = [await serve((s) => s.write(OK)), await serve((s) => s.write(OK))]
    const web = fetcher({ clock })
    await web.fetch({ url: server.origin, isFollowed })
    clock.advance(afterMs)
    await web.fetch({ url: other.origin })
    await web.fetch({ url: server.origin, isFollowed })
    return server.connections === 1
  }

  it('is closed when no request to the host waits', async () => {
    expect(await usedAgain(() => false)).toBe(false)
  })

  it('is kept while one waits', async () => {
    expect(await usedAgain(() => true)).toBe(true)
  })

  it('is not closed sooner', async () => {
    expect(await usedAgain(() => false, 1_999)).toBe(true)
  })
})
