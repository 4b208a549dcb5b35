import { once } from 'node:events'
import { lstatSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { OwnerFailed, OwnerGone, receivedError, type SentError } from './control-error.ts'
import { addressIn, controlFolder, folderProblem, withShortAddress } from './control-folder.ts'
import { decodedValue, FRAME, type Frame, FrameReader, jsonOf, requestFrame } from './control-frames.ts'
import type { ControlMethodName } from './control-methods.ts'
import { CONTROL_VERSION } from './control-server.ts'

/** Sends requests to the process that owns a crawl directory. Each has its own connection; nothing is open in between. */
export class ControlClient {
  readonly #directory: string

  constructor(directory: string) {
    this.#directory = directory
  }

  /** Whether there is something to connect to. A killed process leaves it behind. */
  isOffered(): boolean {
    return lstatSync(controlFolder(this.#directory), { throwIfNoEntry: false }) !== undefined
  }

  /** @throws OwnerGone when no process responds; the error of the owner */
  async ping(): Promise<void> {
    const values = this.stream('ping', [], AbortSignal.timeout(PING_MS))
    for await (const _ of values) break
  }

  /** The single value of a response. */
  async one<T>(method: ControlMethodName, args: readonly unknown[] = []): Promise<T> {
    for await (const value of this.stream<T>(method, args)) return value
    throw new OwnerFailed({
      code: 'CONTROL_RESPONSE_INVALID',
      message: `${method}: no value`,
      retryable: false,
    })
  }

  /** The elements of a response that is sent in pieces. */
  async list<T>(method: ControlMethodName, args: readonly unknown[] = []): Promise<T[]> {
    const all: T[] = []
    for await (const piece of this.stream<readonly T[]>(method, args))
      for (const value of piece) all.push(value)
    return all
  }

  /** The values of a response, as fast as they are read. A caller that stops reading ends the query of the owner. */
  async *stream<T>(
    method: ControlMethodName,
    args: readonly unknown[] = [],
    signal?: AbortSignal,
  ): AsyncGenerator<T> {
    const socket = await this.#connect()
    const giveUp = () => socket.destroy(Object.assign(new Error('no response'), { code: 'ECONNRESET' }))
    signal?.addEventListener('abort', giveUp)
    try {
      socket.write(requestFrame({ version: CONTROL_VERSION, method, args }))
      const frames = new FrameReader(MAX_RESPONSE_BYTES)
      for await (const chunk of socket as AsyncIterable<Buffer>) {
        for (const frame of frames.add(chunk)) {
          if (frame.kind === FRAME.end) return
          if (frame.kind === FRAME.error) throw receivedError(jsonOf(frame) as SentError)
          yield decoded<T>(frame)
        }
      }
      throw new OwnerGone(GONE)
    } catch (error) {
      throw isConnectionError(error) ? new OwnerGone(GONE, { cause: error }) : error
    } finally {
      signal?.removeEventListener('abort', giveUp)
      socket.destroy()
    }
  }

  async #connect(): Promise<Socket> {
    const folder = controlFolder(this.#directory)
    // A socket of another user could respond with anything.
    const problem = folderProblem(folder)
    if (problem !== undefined)
      throw new OwnerGone(`the process that owns the crawl cannot be reached: ${problem}`)
    try {
      return await withShortAddress(addressIn(folder), async (path) => {
        const socket = connect({ path })
        await once(socket, 'connect')
        return socket
      })
    } catch (error) {
      throw new OwnerGone('the process that owns the crawl does not respond', { cause: error })
    }
  }
}

const GONE = 'the process that owned the crawl has ended; run the command again'
/** A process that is stopped (SIGSTOP, a debugger) accepts connections and does not respond. */
const PING_MS = 10_000
const MAX_RESPONSE_BYTES = 256 * 1024 * 1024

function decoded<T>(frame: Frame): T {
  try {
    return decodedValue(frame) as T
  } catch (error) {
    throw new OwnerFailed({
      code: 'CONTROL_RESPONSE_INVALID',
      message: `the response of the crawl cannot be read: it probably runs with another version of Node.js (${String(error)})`,
      retryable: false,
    })
  }
}

function isConnectionError(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return /^(?:ECONNRESET|EPIPE|ECONNREFUSED|ENOTCONN|ERR_STREAM_PREMATURE_CLOSE)$/.test(code)
}
