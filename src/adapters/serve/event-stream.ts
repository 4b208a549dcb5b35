import type { Clock } from '../../base/clock.ts'

/**
 * The body of one server-sent-events response. It keeps only the latest event that the client has not read yet: a slow client misses
 * events and never fills the memory.
 */
export class EventStream {
  readonly body: ReadableStream<Uint8Array>
  readonly #clock: Clock
  readonly #onClose: () => void
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #unread: Uint8Array | undefined
  /** When the client last took an event. */
  #readAt: number
  #wake: (() => void) | undefined
  #isClosed = false

  /** @param onClose called once: the client has disconnected, or does not read */
  constructor(clock: Clock, onClose: () => void) {
    this.#clock = clock
    this.#onClose = onClose
    this.#readAt = clock.now()
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller
        },
        pull: () => this.#pull(),
        cancel: () => this.close(),
      },
      { highWaterMark: 0 },
    )
  }

  /** Replaces an event that the client has not read. */
  offer(bytes: Uint8Array, isComment = false): void {
    if (this.#unread !== undefined && this.#clock.now() - this.#readAt > MAX_UNREAD_MS) this.close()
    if (this.#isClosed || (isComment && this.#unread !== undefined)) return
    this.#unread = bytes
    this.#wake?.()
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#wake?.()
    try {
      this.#controller?.close()
    } catch {
      // The client has cancelled it.
    }
    this.#onClose()
  }

  async #pull(): Promise<void> {
    if (this.#unread === undefined && !this.#isClosed) {
      this.#readAt = this.#clock.now()
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#wake = resolve
      await promise
      this.#wake = undefined
    }
    if (this.#isClosed || this.#unread === undefined) return
    this.#readAt = this.#clock.now()
    this.#controller?.enqueue(this.#unread)
    this.#unread = undefined
  }
}

/** A client that has read nothing for this time is disconnected. */
const MAX_UNREAD_MS = 60_000

const encoder = new TextEncoder()

/** An event as it is sent. JSON has no line breaks, so that one `data` line is enough. */
export function eventBytes(data: unknown): Uint8Array {
  return encoder.encode(`data: ${JSON.stringify(data)}\n\n`)
}

/** A comment, which clients ignore: proxies do not close the connection. */
export const KEEP_ALIVE: Uint8Array = encoder.encode(': keep-alive\n\n')
