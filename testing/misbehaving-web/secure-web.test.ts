import { once } from 'node:events'
import { connect, constants } from 'node:http2'
import { text } from 'node:stream/consumers'
import { connect as connectTls } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MisbehavingWeb, startMisbehavingWeb } from '../misbehaving-web.ts'

let web: MisbehavingWeb
beforeAll(async () => {
  web = await startMisbehavingWeb()
})
afterAll(() => web.close())

it('serves every route over TLS too', async () => {
  const { hostname, port } = new URL(web.secureOrigin('a.test'))
  const socket = connectTls({ host: '127.0.0.1', port: Number(port), servername: hostname, ca: web.ca })
  socket.write(`GET /http-0.9 HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`)
  expect(await text(socket)).toBe('<title>fine</title>')
})

describe('HTTP/2', () => {
  it('is spoken well by the host that should', async () => {
    expect(await get('h2-good.test')).toEqual({ status: 200, body: '<title>h2</title>' })
  })

  it('can push, which a client that refuses pushes calls a breach', async () => {
    await expect(get('h2-push.test')).rejects.toThrow('Protocol error')
  })

  it('can reset a stream', async () => {
    await expect(get('h2-reset.test')).rejects.toThrow('NGHTTP2_INTERNAL_ERROR')
    await expect(get('h2-reset-mid-body.test')).rejects.toThrow('NGHTTP2_INTERNAL_ERROR')
  })

  it('can be agreed on and then not spoken', async () => {
    await expect(get('h2-garbage.test')).rejects.toThrow('Protocol error')
  })

  it('can pack 16 MB of headers into 8 KB', async () => {
    await expect(get('h2-hpack-bomb.test')).rejects.toThrow('NGHTTP2_ENHANCE_YOUR_CALM')
  })

  it('can flood with continuations until the client closes', async () => {
    await expect(get('h2-continuation.test')).rejects.toThrow('Too many CONTINUATION')
  })
})

async function get(host: string): Promise<{ status: number; body: string }> {
  const { port } = new URL(web.secureOrigin(host))
  const session = connect(`https://127.0.0.1:${port}`, {
    servername: host,
    ca: web.ca,
    settings: { enablePush: false },
  })
  try {
    const failed = once(session, 'goaway').then(([code]) => Promise.reject(new Error(`goaway ${code}`)))
    const request = session.request({ [constants.HTTP2_HEADER_PATH]: '/' })
    const received = once(request, 'response').then(async ([headers]) => ({
      status: Number(headers[':status']),
      body: await text(request),
    }))
    return await Promise.race([
      received,
      failed,
      once(session, 'close').then(() => Promise.reject(new Error('closed'))),
    ])
  } finally {
    session.destroy()
  }
}
