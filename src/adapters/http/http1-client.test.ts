import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { type RawServer, startRawServer } from '../../../testing/raw-server.ts'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { FailureError } from './failure.ts'
import type { OutgoingRequest } from './http-client.ts'
import { Http1Client } from './http1-client.ts'

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi'

let clock: FakeClock
let server: RawServer
/** What the server does with a request, and the end of the connection that is its own. */
let response: (socket: Socket) => void
let peer: Socket
let client: Http1Client
let closings: number

beforeEach(async () => {
  response = (socket) => socket.write(OK)
  server = await startRawServer((socket) => {
    peer = socket
    response(socket)
  })
  clock = new FakeClock()
  closings = 0
  const socket = connect(server.port, '127.0.0.1')
  await once(socket, 'connect')
  const options = { clock, keepAliveMs: 5_000, maxHeaderBytes: 4_096 }
  client = new Http1Client(socket, 'a.test', options, () => void closings++)
})

afterEach(async () => {
  client.destroy()
  await server.close()
})

/** What came of one request: the events in order, and the body. */
async function exchange(request: Partial<OutgoingRequest> = {}, maySend = true): Promise<string[]> {
  const events: string[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  client.send(
    { method: 'GET', path: '/', headers: [], body: null, ...request },
    {
      onSend: () => {
        events.push('send')
        if (!maySend) resolve()
        return maySend
      },
      onResponseStart: () => void events.push('begin'),
      onHead: (status) => void events.push(`head ${status}`),
      onData: (chunk) => void events.push(`data ${Buffer.from(chunk).toString()}`),
      onEnd: () => resolve(void events.push('end')),
      onError: (error) => resolve(void events.push(causeOf(error))),
    },
  )
  await promise
  return events
}

function causeOf(error: Error): string {
  if (!(error instanceof FailureError)) return error.message
  return 'cause' in error.failure ? error.failure.cause : error.failure.kind
}

const closed = async (): Promise<void> => expect.poll(() => client.isOpen).toBe(false)

describe('a request', () => {
  it('is told of in order', async () => {
    expect(await exchange()).toEqual(['send', 'begin', 'head 200', 'data hi', 'end'])
    expect(client.isOpen).toBe(true)
  })

  it('is not sent when it may not be', async () => {
    expect(await exchange({}, false)).toEqual(['send'])
    await exchange()
    expect(server.heads).toHaveLength(1)
  })

  it('that cannot be is the mistake of the caller, and nothing is sent', async () => {
    expect(() => client.send({ method: 'A B', path: '/', headers: [], body: null }, UNUSED_HANDLER)).toThrow(
      ConfigurationError,
    )
    await exchange()
    expect(server.heads).toHaveLength(1)
  })

  it.each(['grüße', Buffer.from('grüße')])('has its body sent after its head: %j', async (body) => {
    // To a server that looks for heads, a body that reads like one is the next.
    const like = Buffer.concat([Buffer.from(body), Buffer.from('\r\n\r\n')])
    await exchange({ method: 'POST', body: typeof body === 'string' ? like.toString() : like })
    await server.requests(2)
    expect(server.heads[0]).toMatch(/^POST \/ .*\r\ncontent-length: 11$/s)
    expect(Buffer.from(server.heads[1] ?? '', 'latin1').toString()).toBe('grüße')
  })

  it('that breaks off is reset', async () => {
    response = (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nhi')
    expect(await exchange()).toEqual(['send', 'begin', 'head 200', 'data hi', 'reset'])
    expect([client.isOpen, closings]).toEqual([false, 1])
  })

  it('is reset by a reset', async () => {
    response = (socket) => socket.resetAndDestroy()
    expect(await exchange()).toEqual(['send', 'reset'])
    expect([client.isOpen, closings]).toEqual([false, 1])
  })

  it('is whole when it lasts until the connection is closed', async () => {
    response = (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nhi')
    expect(await exchange()).toEqual(['send', 'begin', 'head 200', 'data hi', 'end'])
    expect(client.isOpen).toBe(false)
  })

  it('is aborted when the connection is given up', async () => {
    response = () => client.destroy()
    expect(await exchange()).toEqual(['send', 'aborted'])
    expect(closings).toBe(1)
  })

  it('leaves a connection behind that is not used again when the response came before all was sent', async () => {
    response = (socket) => void socket.pause().write(OK)
    await exchange({ method: 'POST', body: Buffer.alloc(32 * 1024 * 1024) })
    expect(client.isOpen).toBe(false)
  })
})

describe('an idle connection', () => {
  it('is closed when it was not used for long enough', async () => {
    await exchange()
    clock.advance(4_000)
    await exchange()
    clock.advance(4_999)
    expect(client.isOpen).toBe(true)
    clock.advance(1)
    expect([client.isOpen, closings]).toEqual([false, 1])
  })

  it('is not closed while a response is awaited', async () => {
    await exchange()
    response = (socket) => {
      clock.advance(60_000)
      socket.write(OK)
    }
    expect(await exchange()).toContain('end')
    expect(client.isOpen).toBe(true)
    clock.advance(5_000)
    expect(client.isOpen).toBe(false)
  })

  it.each([
    [10, 5_000],
    [4, 2_000],
    [2, 0],
    [0, 0],
  ])('of a server that keeps it for %i s is closed after %i ms', async (seconds, afterMs) => {
    await exchange()
    response = (socket) => socket.write(`HTTP/1.1 204 None\r\nKeep-Alive: timeout=${seconds}\r\n\r\n`)
    await exchange()
    expect(client.isOpen).toBe(afterMs > 0)
    clock.advance(Math.max(0, afterMs - 1))
    expect(client.isOpen).toBe(afterMs > 0)
    clock.advance(1)
    expect(client.isOpen).toBe(false)
  })

  it('is closed when the server sends data without a request', async () => {
    await exchange()
    peer.write(OK)
    await closed()
    expect(closings).toBe(1)
  })

  it('is closed when the server says goodbye', async () => {
    await exchange()
    peer.end()
    await closed()
    expect(closings).toBe(1)
  })
})

const UNUSED_HANDLER = {
  onSend: () => expect.fail('sent'),
  onResponseStart: () => {},
  onHead: () => {},
  onData: () => {},
  onEnd: () => {},
  onError: () => {},
}
