import type { Socket } from 'node:net'

/** The frames of HTTP/2 (RFC 9113) that a misbehaving server sends, made by hand. */
export const FRAME = {
  data: 0,
  headers: 1,
  reset: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goAway: 7,
  continuation: 9,
} as const

const END_STREAM = 0x1
const END_HEADERS = 0x4
const ACK = 0x1
const PREFACE_BYTES = 24
const HEAD_BYTES = 9

export function frame(
  type: number,
  flags: number,
  streamId: number,
  payload: Uint8Array = Buffer.alloc(0),
): Buffer {
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUIntBE(payload.length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(streamId, 5)
  return Buffer.concat([head, payload])
}

/** `:status: 200` is entry 8 of HPACK's static table: one byte. `more` is added to the header block as it is. */
export function headers(streamId: number, { end = false, more = Buffer.alloc(0), last = true } = {}): Buffer {
  const flags = (end ? END_STREAM : 0) | (last ? END_HEADERS : 0)
  return frame(FRAME.headers, flags, streamId, Buffer.concat([Buffer.of(0x88), more]))
}

export function data(streamId: number, text: string, { end = false } = {}): Buffer {
  return frame(FRAME.data, end ? END_STREAM : 0, streamId, Buffer.from(text))
}

export function resetStream(streamId: number, errorCode: number): Buffer {
  return frame(FRAME.reset, 0, streamId, uint32(errorCode))
}

export function goAway(lastStreamId: number, errorCode: number): Buffer {
  return frame(FRAME.goAway, 0, 0, Buffer.concat([uint32(lastStreamId), uint32(errorCode)]))
}

/** A header that is not put into the table: name and value in plain letters, each shorter than 127 bytes. */
export function literalHeader(name: string, value: string): Buffer {
  return Buffer.concat([
    Buffer.of(0, name.length),
    Buffer.from(name),
    Buffer.of(value.length),
    Buffer.from(value),
  ])
}

/**
 * Greets the client as HTTP/2 does and calls `response` with the stream of every request that arrives.
 * Requests are not read (that would need HPACK), so the judge does not see them.
 */
export function onHttp2Request(socket: Socket, response: (streamId: number) => void): void {
  socket.write(frame(FRAME.settings, 0, 0))
  let buffered = Buffer.alloc(0)
  let greeted = false
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    buffered = Buffer.concat([buffered, chunk])
    if (!greeted && buffered.length >= PREFACE_BYTES) {
      greeted = true
      buffered = buffered.subarray(PREFACE_BYTES)
    }
    while (greeted && buffered.length >= HEAD_BYTES) {
      const end = HEAD_BYTES + buffered.readUIntBE(0, 3)
      if (buffered.length < end) return
      const [type, flags, streamId] = [buffered.readUInt8(3), buffered.readUInt8(4), buffered.readUInt32BE(5)]
      buffered = buffered.subarray(end)
      if (type === FRAME.settings && (flags & ACK) === 0) socket.write(frame(FRAME.settings, ACK, 0))
      if (type === FRAME.headers) response(streamId)
    }
  })
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
