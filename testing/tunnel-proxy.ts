import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** An HTTP proxy that connects to this machine, whatever the requested address. */
export interface TunnelProxy {
  readonly url: string
  /** The requested addresses, in order. */
  readonly goals: readonly string[]
  close(): Promise<void>
}

/**
 * Replaces the Internet: a tunnel to any address ends at the same port of 127.0.0.1, and the address is recorded. So a test can check
 * which public address a client would have connected to, and no packet leaves the machine.
 */
export async function startTunnelProxy(): Promise<TunnelProxy> {
  const goals: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    sockets.add(client)
    client.on('error', () => {})
    client.once('data', (head) => {
      const [, address = '', port = ''] =
        /^CONNECT \[?([^\s\]]+?)\]?:(\d+) /.exec(head.toString('latin1')) ?? []
      goals.push(address)
      const goal = connect(Number(port), '127.0.0.1', () => {
        client.write('HTTP/1.1 200 Connected\r\n\r\n')
        client.pipe(goal).pipe(client)
      })
      sockets.add(goal)
      goal.on('error', () => client.destroy())
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    goals,
    async close() {
      for (const socket of sockets) socket.destroy()
      await once(server.close(), 'close')
    },
  }
}
