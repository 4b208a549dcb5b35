import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { HitEnd } from '../judge.ts'

/** The request. */
export interface WebRequest {
  readonly method: string
  /** Path and query, to the letter. */
  readonly target: string
  /** The target without its query. */
  readonly path: string
  readonly query: URLSearchParams
  /** The Host header without its port, in lower case; empty when there was none. */
  readonly host: string
  /** The port that was connected to. */
  readonly port: number
  /** Names in lower case; of a repeated header the last value. */
  readonly headers: ReadonlyMap<string, string>
  /** How many requests this connection had brought before. */
  readonly earlierOnConnection: number
}

export interface Reply {
  /** @default 200 */
  readonly status?: number
  /** A list gives a header several times. Content-Length is added unless it or Transfer-Encoding is here. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: string | Uint8Array
}

/** Responds to one request, correctly or not. */
export type Response = (exchange: Exchange) => void | Promise<void>

/**
 * One request and the means to respond to it: correctly with `reply`, byte by byte with the others. A response that neither replies nor
 * hangs up is silence, and lasts until the client goes.
 */
export class Exchange {
  readonly request: WebRequest
  readonly #socket: Socket
  readonly #ended: (end: HitEnd) => void
  #status = 0

  /** `ended` is called before the last byte leaves, as the judge needs it. */
  constructor(request: WebRequest, socket: Socket, ended: (end: HitEnd) => void) {
    this.request = request
    this.#socket = socket
    this.#ended = ended
  }

  /** Whether the client has hung up. */
  get gone(): boolean {
    return this.#socket.destroyed || this.#socket.closed
  }

  /** Sends bytes as they are and waits until the client takes more; `false` once it has hung up. */
  async send(data: string | Uint8Array): Promise<boolean> {
    if (this.gone) return false
    this.#noteStatus(data)
    if (!this.#socket.write(data)) await this.#drained()
    return !this.gone
  }

  /** Waits in real time; `false` when the client has hung up meanwhile. */
  async pause(ms: number): Promise<boolean> {
    await sleep(ms)
    return !this.gone
  }

  /** Sends the last bytes as they are and leaves the connection open for the next request. */
  finish(data: string | Uint8Array, end: HitEnd = {}): void {
    this.#noteStatus(data)
    this.#ended({ status: this.#status, ...end })
    if (!this.gone) this.#socket.write(data)
  }

  /** Sends the last bytes as they are and closes the connection. */
  hangUp(data: string | Uint8Array = ''): void {
    this.#noteStatus(data)
    this.#ended({ status: this.#status })
    this.#socket.end(data)
  }

  /** Breaks the connection off with a TCP reset. */
  reset(): void {
    this.#ended({ status: this.#status })
    this.#socket.resetAndDestroy()
  }

  /** A well-formed response on a connection that stays open. */
  reply({ status = 200, headers = {}, body = '' }: Reply): void {
    const bytes = typeof body === 'string' ? Buffer.from(body) : body
    const given = new Set(Object.keys(headers).map((name) => name.toLowerCase()))
    const framed =
      given.has('content-length') || given.has('transfer-encoding') || status === 204 || status === 304
    const lines = Object.entries(headers).flatMap(([name, value]) =>
      [value].flat().map((one) => `${name}: ${one}\r\n`),
    )
    if (!framed) lines.push(`Content-Length: ${bytes.length}\r\n`)
    const head = Buffer.from(`HTTP/1.1 ${status} ${reason(status)}\r\n${lines.join('')}\r\n`, 'latin1')
    const withBody = this.request.method === 'HEAD' ? [head] : [head, bytes]
    this.finish(Buffer.concat(withBody), { waitMs: waitMs(headers) })
  }

  #noteStatus(data: string | Uint8Array): void {
    if (this.#status === 0) this.#status = Number(/^HTTP\/1\.\d (\d+)/.exec(head(data))?.[1] ?? 0)
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.#socket.off('drain', done).off('close', done)
        resolve()
      }
      this.#socket.on('drain', done).on('close', done)
    })
  }
}

function head(data: string | Uint8Array): string {
  return typeof data === 'string' ? data.slice(0, 20) : Buffer.from(data.subarray(0, 20)).toString('latin1')
}

function reason(status: number): string {
  return status < 400 ? 'OK' : 'Not OK'
}

/** The delay of a valid Retry-After; 0 if it is invalid. */
function waitMs(headers: NonNullable<Reply['headers']>): number {
  const value = Object.entries(headers).find(([name]) => name.toLowerCase() === 'retry-after')?.[1]
  if (typeof value !== 'string') return 0
  if (/^\d+$/.test(value)) return Number(value) * 1_000
  const date = Date.parse(value)
  return Number.isNaN(date) ? 0 : Math.max(0, date - Date.now())
}
