import { deserialize, serialize } from 'node:v8'

/**
 * Messages between a reader and the process that owns a crawl: four bytes with the length of what follows, one byte with the kind, and the
 * payload. A connection carries one request and its response: any number of values, then `end` or `error`.
 */
export interface Frame {
  readonly kind: FrameKind
  readonly payload: Buffer
}

export const FRAME = { request: 1, value: 2, end: 3, error: 4 } as const
export type FrameKind = (typeof FRAME)[keyof typeof FRAME]

/** A request is read by the process that crawls: JSON, since a damaged message must not harm that process. */
export function requestFrame(request: object): Buffer {
  return frame(FRAME.request, Buffer.from(JSON.stringify(request)))
}

/** A value of a response. The format of structured clones keeps what JSON loses: `undefined`, bigint, bytes, infinite scores. */
export function valueFrame(value: unknown): Buffer {
  return frame(FRAME.value, serialize(value))
}

export function endFrame(): Buffer {
  return frame(FRAME.end, Buffer.alloc(0))
}

export function errorFrame(error: object): Buffer {
  return frame(FRAME.error, Buffer.from(JSON.stringify(error)))
}

/** @throws when the payload is damaged */
export function decodedValue({ payload }: Frame): unknown {
  return deserialize(payload)
}

/** @throws when the payload is not JSON */
export function jsonOf({ payload }: Frame): unknown {
  return JSON.parse(payload.toString('utf8'))
}

/** The other side sent something that is not a frame, or one above the limit. */
export class FrameInvalid extends Error {}

/** Cuts the bytes of a connection into frames. */
export class FrameReader {
  readonly #maxBytes: number
  #chunks: Buffer[] = []
  #bytes = 0

  /** @param maxBytes of one frame */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** The frames that `chunk` completes. @throws FrameInvalid */
  *add(chunk: Buffer): Generator<Frame> {
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
    for (;;) {
      const head = this.#peek(HEAD_BYTES)
      if (head === undefined) return
      const length = head.readUInt32BE(0)
      const kind = head.readUInt8(4)
      if (!KINDS.has(kind)) throw new FrameInvalid(`unknown kind ${kind}`)
      if (length < 1 || length > this.#maxBytes) throw new FrameInvalid(`a message of ${length} bytes`)
      const whole = this.#peek(4 + length)
      if (whole === undefined) return
      this.#drop(4 + length)
      yield { kind: kind as FrameKind, payload: whole.subarray(HEAD_BYTES) }
    }
  }

  /** The first bytes; `undefined` when they have not arrived yet. Chunks are joined only when a frame is complete. */
  #peek(bytes: number): Buffer | undefined {
    if (this.#bytes < bytes) return undefined
    const [first] = this.#chunks
    if (first !== undefined && first.length >= bytes) return first.subarray(0, bytes)
    this.#chunks = [Buffer.concat(this.#chunks)]
    return this.#chunks[0]?.subarray(0, bytes)
  }

  #drop(bytes: number): void {
    const [first, ...others] = this.#chunks
    const remaining = first?.subarray(bytes)
    this.#chunks = remaining === undefined || remaining.length === 0 ? others : [remaining, ...others]
    this.#bytes -= bytes
  }
}

const HEAD_BYTES = 5
const KINDS: ReadonlySet<number> = new Set(Object.values(FRAME))

function frame(kind: FrameKind, payload: Buffer): Buffer {
  const head = Buffer.allocUnsafe(HEAD_BYTES)
  head.writeUInt32BE(payload.length + 1, 0)
  head.writeUInt8(kind, 4)
  return Buffer.concat([head, payload])
}
