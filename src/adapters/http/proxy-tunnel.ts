import type { Socket } from 'node:net'
import { networkFailure } from './failure.ts'
import { proxyAuthorization, type WebProxy } from './proxy.ts'

/** Has the HTTP proxy at the other end of `socket` open a tunnel (CONNECT) to `host`, a name or an address literal. */
export async function openTunnel(socket: Socket, proxy: WebProxy, host: string, port: number): Promise<void> {
  // Late: with it, Node loads a second HTTP client of its own.
  const { request } = await import('node:http')
  const authority = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
  const authorization = proxyAuthorization(proxy)
  return new Promise((resolve, reject) => {
    const asked = request({
      method: 'CONNECT',
      path: authority,
      headers: {
        host: authority,
        ...(authorization === undefined ? {} : { 'proxy-authorization': authorization }),
      },
      createConnection: () => socket,
    })
    // Whatever the response to CONNECT is, node:http calls it that.
    asked.on('connect', ({ statusCode }, _socket, head: Buffer) => {
      if (statusCode !== 200)
        return reject(networkFailure('proxy', `the proxy responded to CONNECT with ${statusCode}`))
      if (head.length > 0) socket.unshift(head)
      resolve()
    })
    asked.on('error', (error) => reject(networkFailure('proxy', error.message)))
    asked.end()
  })
}
