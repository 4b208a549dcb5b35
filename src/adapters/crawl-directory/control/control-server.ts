import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { z } from 'zod'
import type { LiveCrawl } from '../../../domain/live/live-crawl.ts'
import { OwnerFailed, OwnerGone, sentError } from './control-error.ts'
import { makeControlFolder, newAddress, withShortAddress } from './control-folder.ts'
import { endFrame, errorFrame, FRAME, FrameReader, jsonOf, valueFrame } from './control-frames.ts'
import { controlMethod, type OwnedReads } from './control-methods.ts'
import { ReadLanes } from './read-lanes.ts'

export interface ControlServerOptions {
  /** The crawl for one reader; its queries are interrupted when `signal` is aborted. */
  reads(signal: AbortSignal): OwnedReads
  /** Time for a reader to send its request, and to take the next part of a response. @default 30000 */
  readonly stallMs?: number
}

/**
 * Serves other processes of the same user that read the crawl directory which this process owns. README.md describes the
 * protocol. It does nothing until a reader connects, and does not keep the process alive.
 */
export class ControlServer {
  readonly #folder: string
  readonly #server: Server
  readonly #options: ControlServerOptions
  readonly #lanes = new ReadLanes()
  readonly #running = new Set<Promise<void>>()
  readonly #sockets = new Set<Socket>()
  readonly #closing = new AbortController()
  /** The crawl that runs now. */
  live: LiveCrawl | undefined

  private constructor(folder: string, server: Server, options: ControlServerOptions) {
    this.#folder = folder
    this.#server = server
    this.#options = options
  }

  /**
   * Call it only in the process that has the database open for writing: the socket of another process is replaced.
   * @throws when the file system has no sockets or no permissions
   */
  static async start(directory: string, options: ControlServerOptions): Promise<ControlServer> {
    const folder = makeControlFolder(directory)
    try {
      const server = createServer()
      server.maxConnections = MAX_CONNECTIONS
      await withShortAddress(newAddress(folder), async (path) => {
        server.listen({ path })
        await once(server, 'listening')
      })
      server.unref()
      const control = new ControlServer(folder, server, options)
      server.on('connection', (socket) => control.#accept(socket))
      // An error of one connection attempt, such as too many open files.
      server.on('error', () => {})
      return control
    } catch (error) {
      rmSync(folder, { recursive: true, force: true })
      throw error
    }
  }

  /** Interrupts all queries; readers that come later are told that the owner is about to end. */
  async stopReads(): Promise<void> {
    this.#closing.abort(new OwnerGone('the process that owned the crawl has closed it'))
    await Promise.all(this.#running)
  }

  /** Call `stopReads` first, and close the database in between: readers wait until the files are free. */
  async close(): Promise<void> {
    await this.stopReads()
    // Before the folder: the next owner may make its own at any moment.
    rmSync(this.#folder, { recursive: true, force: true })
    const closed = new Promise((resolve) => this.#server.close(resolve))
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }

  #accept(socket: Socket): void {
    socket.unref()
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
    // A reader that was killed.
    socket.on('error', () => {})
    const serving = this.#serve(socket).catch(() => {
      socket.destroy()
    })
    this.#running.add(serving)
    void serving.then(() => this.#running.delete(serving))
  }

  async #serve(socket: Socket): Promise<void> {
    const left = new AbortController()
    socket.once('close', () => left.abort(new OwnerGone('the reader has disconnected')))
    const signal = AbortSignal.any([left.signal, this.#closing.signal])
    const request = await this.#within(socket, readRequest(socket, this.#closing.signal))
    // Only its end matters from here on.
    socket.resume()
    try {
      await this.#respond(socket, request, signal)
      socket.end(endFrame())
    } catch (error) {
      if (left.signal.aborted) return
      const reason = this.#closing.signal.aborted ? this.#closing.signal.reason : error
      socket.end(errorFrame(sentError(reason)))
    }
    // The system sends the last part, unless the reader does not take it.
    void this.#within(socket, once(socket, 'close')).catch(() => {})
  }

  async #respond(socket: Socket, message: unknown, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const { name, args } = parseRequest(message)
    const { run, lane } = name
    using _turn = lane === undefined ? undefined : await this.#lanes.enter(lane, signal)
    const context = { reads: this.#options.reads(signal), live: this.live, folder: this.#folder }
    for await (const value of run(context, args as readonly never[])) {
      signal.throwIfAborted()
      if (socket.write(valueFrame(value))) continue
      await this.#within(socket, once(socket, 'drain', { signal }))
    }
  }

  /** A reader that stalls is disconnected: it would keep its place, and a snapshot of the database. */
  async #within<T>(socket: Socket, work: Promise<T>): Promise<T> {
    const timer = setTimeout(
      () => socket.destroy(new Error('the reader stalled')),
      this.#options.stallMs ?? STALL_MS,
    )
    timer.unref()
    try {
      return await work
    } finally {
      clearTimeout(timer)
    }
  }
}

/** The version of the protocol. Owner and reader may run different versions of the program. */
export const CONTROL_VERSION = 1

const MAX_CONNECTIONS = 200
const MAX_REQUEST_BYTES = 16 * 1024 * 1024
const STALL_MS = 30_000

function readRequest(socket: Socket, closing: AbortSignal): Promise<unknown> {
  const frames = new FrameReader(MAX_REQUEST_BYTES)
  return new Promise((resolve, reject) => {
    socket.once('close', () => {
      closing.removeEventListener('abort', giveUp)
      reject(new OwnerGone('the reader has disconnected'))
    })
    // One that connects later is told so in response to its request.
    const giveUp = () => socket.destroy()
    if (!closing.aborted) closing.addEventListener('abort', giveUp, { once: true })
    const read = (chunk: Buffer) => {
      try {
        for (const frame of frames.add(chunk)) {
          if (frame.kind !== FRAME.request) throw new Error('a request is expected')
          socket.off('data', read)
          closing.removeEventListener('abort', giveUp)
          return resolve(jsonOf(frame))
        }
      } catch (error) {
        closing.removeEventListener('abort', giveUp)
        reject(error)
      }
    }
    socket.on('data', read)
  })
}

const requestSchema = z.object({ version: z.number(), method: z.string(), args: z.array(z.unknown()) })

function parseRequest(message: unknown) {
  const parsed = requestSchema.safeParse(message)
  if (!parsed.success) throw refusal('CONTROL_REQUEST_INVALID', 'the request is not valid')
  const { version, method, args } = parsed.data
  const name = controlMethod(method)
  if (version !== CONTROL_VERSION || name === undefined)
    throw refusal(
      'CONTROL_VERSION_DIFFERS',
      `the crawl runs in another version of orbweaver, which does not know this request (${method}, protocol ${version}); use the same version, or wait for the crawl to end`,
    )
  const checked = name.args.safeParse(args)
  if (!checked.success)
    throw refusal('CONTROL_REQUEST_INVALID', `${method}: ${z.prettifyError(checked.error)}`)
  return { name, args: checked.data }
}

function refusal(code: string, message: string): OwnerFailed {
  return new OwnerFailed({ code, message, retryable: false })
}
