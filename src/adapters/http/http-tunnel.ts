import type { Socket } from 'node:net'
import { type FailureError, networkFailure } from './failure.ts'
import { proxyAuthorization, type WebProxy } from './proxy.ts'

/** Has the HTTP proxy at the other end of `socket` open a tunnel (CONNECT) to `host`, a name or an address literal. */
export async function openTunnel(socket: Socket, proxy: WebProxy, host: string, port: number): Promise<void> {
  // Late: with it, Node loads a second HTTP client of its own.
  const { request } = await import('node:http')
  const authority = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
  const authorization = proxyAuthorization(proxy)
  return new Promise((resolve, reject) => {
    const tunnel = request({
      method: 'CONNECT',
      path: authority,
      headers: {
        host: authority,
        ...(authorization === undefined ? {} : { 'proxy-authorization': authorization }),
      },
      createConnection: () => socket,
    })
    // node:http emits this for every response to CONNECT.
    tunnel.on('connect', ({ statusCode }, _socket, head: Buffer) => {
      if (statusCode !== 200) return reject(refusedTunnel(statusCode ?? 0, authority))
      if (head.length > 0) socket.unshift(head)
      resolve()
    })
    tunnel.on('error', (error) => reject(networkFailure('proxy', error.message)))
    tunnel.end()
  })
}

/** 407, 401 (tinyproxy's word for it) and unknown statuses concern the proxy; the others, as SOCKS replies do, the requested host. */
function refusedTunnel(status: number, authority: string): FailureError {
  const detail = `the proxy responded to CONNECT ${authority} with ${status}`
  if (status === 502 || status === 503 || status === 504) return networkFailure('connect-failed', detail)
  if (status === 407 || status === 401 || status < 400 || status >= 500)
    return networkFailure('proxy', detail)
  const isOtherPort = !authority.endsWith(':443')
  return networkFailure(
    'connect-refused',
    isOtherPort ? `${detail}; if it tunnels to port 443 only, set resolve of http.proxy to 'both'` : detail,
  )
}
