import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

/** A TCP server that responds to each request with exactly the bytes that a test gives. */
export interface RawServer {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string
  readonly port: number
  /** The heads of the requests that came, in order. */
  readonly heads: readonly string[]
  /** How many connections were accepted. */
  readonly connections: number
  /** Waits until this number of requests has arrived. */
  requests(count: number): Promise<void>
  close(): Promise<void>
}

/** @param response called with the socket, the head of the request, and how many requests came on all connections before it. */
export async function startRawServer(
  response: (socket: Socket, head: string, index: number) => void,
): Promise<RawServer> {
  const heads: string[] = []
  const sockets = new Set<Socket>()
  const waiting: Array<() => void> = []
  let connections = 0
  const server = createServer((socket) => {
    connections++
    sockets.add(socket)
    let received = ''
    socket.on('error', () => {})
    socket.on('data', (data) => {
      received += data.toString('latin1')
      for (let end = received.indexOf('\r\n\r\n'); end >= 0; end = received.indexOf('\r\n\r\n')) {
        const head = received.slice(0, end)
        received = received.slice(end + 4)
        response(socket, head, heads.push(head) - 1)
        for (const wake of waiting.splice(0)) wake()
      }
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    heads,
    get connections() {
      return connections
    },
    async requests(count) {
      while (heads.length < count) await new Promise<void>((resolve) => waiting.push(resolve))
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await once(server.close(), 'close')
    },
  }
}
