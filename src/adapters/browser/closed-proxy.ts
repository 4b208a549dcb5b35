import type { AddressInfo } from 'node:net'
import { createServer, type Server } from 'node:net'

/**
 * The only proxy of the browser, on loopback. It refuses every connection: the requests of pages are taken from the browser before they reach
 * the network, and are sent by our own HTTP client. WebSockets, background requests of the browser and anything that evades the interception
 * end here. It forwards nothing, so other programs of the machine gain nothing by it.
 */
export class ClosedProxy {
  readonly #server: Server
  /** Connections that were refused. */
  refused = 0

  private constructor() {
    this.#server = createServer((socket) => {
      this.refused++
      socket.on('error', () => {})
      // Wait for the request: the browser reports an early response as a broken connection and retries.
      socket.once('data', () => socket.end(REFUSAL))
      socket.setTimeout(10_000, () => socket.destroy())
    })
    this.#server.unref()
  }

  static async open(): Promise<ClosedProxy> {
    const proxy = new ClosedProxy()
    await new Promise<void>((resolve, reject) => {
      proxy.#server.once('error', reject)
      proxy.#server.listen(0, '127.0.0.1', resolve)
    })
    return proxy
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo
    return `http://127.0.0.1:${port}`
  }

  close(): void {
    this.#server.close()
  }
}

const REFUSAL = 'HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'
