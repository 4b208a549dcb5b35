import { createServer, type RequestListener } from 'node:http'
import { createSecureServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { makeCertificates } from '../../../testing/certificates.ts'
import type { BodySink } from '../../domain/fetch/body-sink.ts'
import { HttpFetcher } from './http-fetcher.ts'

const BODY = Buffer.alloc(2_000_000, 'abcdefg')
const cleanUp: Array<() => unknown> = []
afterEach(() => {
  for (const close of cleanUp.splice(0)) close()
})

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  cleanUp.push(
    () => server.close(),
    () => server.closeAllConnections(),
  )
  await new Promise((resolve) => server.once('listening', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

function fetcher(): HttpFetcher {
  const made = new HttpFetcher({
    agent: { name: 'Weaver', version: '1.0', email: 'bot@weaver.example' },
    allowPrivateHosts: () => true,
  })
  cleanUp.push(() => made.close())
  return made
}

/** Collects the body; `slow` waits after each piece. */
class Collector implements BodySink {
  readonly pieces: Buffer[] = []
  isWaiting = false
  /** A piece came although it had to wait. */
  wasPressed = false
  readonly #slow: boolean
  #length = 0
  readonly #maxBytes: number

  constructor({ slow = false, maxBytes = Number.POSITIVE_INFINITY } = {}) {
    this.#slow = slow
    this.#maxBytes = maxBytes
  }

  get body(): Buffer {
    return Buffer.concat(this.pieces)
  }

  open(): boolean {
    return this.#maxBytes > 0
  }

  write(piece: Uint8Array): boolean | Promise<void> {
    this.wasPressed ||= this.isWaiting
    this.pieces.push(Buffer.from(piece))
    this.#length += piece.length
    if (this.#length > this.#maxBytes) return false
    if (!this.#slow || this.pieces.length > 20) return true
    this.isWaiting = true
    return new Promise((resolve) =>
      setImmediate(() => {
        this.isWaiting = false
        resolve()
      }),
    )
  }
}

describe('a sink', () => {
  it.each([false, true])('gets the body instead of the outcome, and may take its time: %s', async (slow) => {
    const url = await serve((_, response) => void response.end(BODY))
    const sink = new Collector({ slow })
    const outcome = await fetcher().fetch({ url, sink })
    expect(outcome).toMatchObject({ kind: 'success', body: { bytes: { length: 0 }, wireBytes: BODY.length } })
    expect(sink.body.equals(BODY)).toBe(true)
    expect(sink.wasPressed).toBe(false)
  })

  it('gets more than maxBodyBytes and maxDeclaredBytes, within its own time', async () => {
    const url = await serve((_, response) => void response.end(BODY))
    const small = new HttpFetcher({
      agent: { name: 'Weaver', version: '1.0', email: 'bot@weaver.example' },
      allowPrivateHosts: () => true,
      ...{ maxBodyBytes: 10, maxDeclaredBytes: 10 },
    })
    cleanUp.push(() => small.close())
    const sink = new Collector()
    expect(await small.fetch({ url, sink, timeoutMs: 60_000 })).toMatchObject({ kind: 'success' })
    expect(sink.body.length).toBe(BODY.length)
  })

  it.each([0, 100_000])('that wants no more after %i bytes ends the request', async (maxBytes) => {
    const url = await serve((_, response) => void response.end(BODY))
    const sink = new Collector({ maxBytes })
    const outcome = await fetcher().fetch({ url, sink })
    expect(outcome).toMatchObject({ kind: 'success', body: { truncated: 'size' } })
    expect(sink.body.length).toBeLessThan(1_000_000)
  })

  it('keeps what came before the connection was closed', async () => {
    const url = await serve((_, response) => {
      response.writeHead(200, { 'content-length': BODY.length })
      response.write(BODY.subarray(0, 1_000), () => setImmediate(() => response.destroy()))
    })
    const sink = new Collector()
    expect(await fetcher().fetch({ url, sink })).toMatchObject({ body: { truncated: 'disconnect' } })
    expect(sink.body.length).toBe(1_000)
  })

  it('may take its time over HTTP/2, too', async () => {
    const { ca, good } = makeCertificates(['127.0.0.1'])
    const server = createSecureServer(good, (_, response) => void response.end(BODY)).listen(0, '127.0.0.1')
    cleanUp.push(() => server.close())
    await new Promise((resolve) => server.once('listening', resolve))
    const http2 = new HttpFetcher({
      agent: { name: 'Weaver', version: '1.0', email: 'bot@weaver.example' },
      allowPrivateHosts: () => true,
      extraCertificates: [ca],
    })
    cleanUp.push(() => http2.close())
    const sink = new Collector({ slow: true })
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const outcome = await http2.fetch({ url, sink })
    expect(outcome).toMatchObject({ kind: 'success', response: { protocol: 'h2' } })
    expect(sink.body.equals(BODY)).toBe(true)
    await http2.close()
  })

  it('is not given the bodies of errors and redirects', async () => {
    const url = await serve((request, response) => {
      response.writeHead(request.url === '/' ? 404 : 302, { location: '/' }).end('error')
    })
    const sink = new Collector()
    expect(await fetcher().fetch({ url, sink, keepErrorBody: true })).toMatchObject({
      kind: 'not-found',
      body: { wireBytes: 5 },
    })
    expect(await fetcher().fetch({ url: `${url}x`, sink })).toMatchObject({ kind: 'moved' })
    expect(sink.pieces).toEqual([])
  })
})
