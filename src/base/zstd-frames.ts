/** The first four bytes of a frame, little-endian. */
const MAGIC = 0xfd2fb528
/** The first of the sixteen numbers that frames which decoders skip start with. */
const SKIPPABLE_MAGIC = 0x184d2a50
/** Longer frames are taken for garbage: neither a request log nor a page has them. */
const MAX_FRAME_BYTES = 64 * 1024 * 1024

/** `incomplete`: the bytes end before the frame does. `invalid`: no frame starts here. */
export type FrameEnd = number | 'incomplete' | 'invalid'

/**
 * Where the Zstandard frame that starts at `start` ends (RFC 8878, 3.1.1), without decompressing it. So complete frames can be read from a
 * file whose last frame is cut, and after bytes that are damaged.
 */
export function frameEnd(bytes: Buffer, start: number): FrameEnd {
  if (start + 5 > bytes.length) return isMagicPrefix(bytes, start) ? 'incomplete' : 'invalid'
  const magic = bytes.readUInt32LE(start)
  if ((magic & 0xfffffff0) >>> 0 === SKIPPABLE_MAGIC) return skippableEnd(bytes, start)
  if (magic !== MAGIC) return 'invalid'
  const descriptor = bytes[start + 4] as number
  const isSingleSegment = (descriptor & 0x20) !== 0
  const contentSizeBytes = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6] as number
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 0x03] as number
  let at = start + 5 + (isSingleSegment ? 0 : 1) + dictionaryBytes + contentSizeBytes
  for (;;) {
    if (at - start > MAX_FRAME_BYTES) return 'invalid'
    if (at + 3 > bytes.length) return 'incomplete'
    const header = bytes.readUIntLE(at, 3)
    const type = (header >> 1) & 0x03
    if (type === RESERVED) return 'invalid'
    // A repeated byte is stored once.
    at += 3 + (type === REPEATED ? 1 : header >> 3)
    if ((header & 1) === 1) break
  }
  const end = at + ((descriptor & 0x04) === 0 ? 0 : 4)
  return end > bytes.length ? 'incomplete' : end
}

function skippableEnd(bytes: Buffer, start: number): FrameEnd {
  if (start + 8 > bytes.length) return 'incomplete'
  const end = start + 8 + bytes.readUInt32LE(start + 4)
  return end > bytes.length ? 'incomplete' : end
}

/**
 * Whether the bytes end within a frame: the decoder of Node.js 22 takes the beginning of a frame for all of it. Bytes that are not a frame
 * are left to the decoder.
 */
export function isCutZstd(bytes: Uint8Array): boolean {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 0
  while (at < buffer.length) {
    const end = frameEnd(buffer, at)
    if (typeof end === 'string') return end === 'incomplete'
    at = end
  }
  return false
}

const REPEATED = 1
const RESERVED = 3

/** Where the next frame may start after damaged bytes; -1: nowhere. */
export function nextFrame(bytes: Buffer, from: number): number {
  return bytes.indexOf(MAGIC_BYTES, from)
}

const MAGIC_BYTES = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])

function isMagicPrefix(bytes: Buffer, start: number): boolean {
  const length = Math.min(4, bytes.length - start)
  return bytes.subarray(start, start + length).equals(MAGIC_BYTES.subarray(0, length))
}
