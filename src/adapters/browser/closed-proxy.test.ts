import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { ClosedProxy } from './closed-proxy.ts'

it.each(['CONNECT 127.0.0.1:80 HTTP/1.1\r\n\r\n', 'GET http://127.0.0.1/ HTTP/1.1\r\n\r\n'])(
  'refuses %j',
  async (request) => {
    const proxy = await ClosedProxy.open()
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(proxy.url).port) })
    socket.write(request)
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 403 /)
    expect(proxy.refused).toBe(1)
    proxy.close()
  },
)
