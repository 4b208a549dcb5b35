import {
  brotliDecompressSync,
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
  gunzipSync,
  inflateRawSync,
  inflateSync,
  zstdDecompressSync,
} from 'node:zlib'
import { isCutZstd } from '../../base/zstd-frames.ts'
import { type HeaderList, headerValues } from '../../domain/fetch/headers.ts'

export interface DecodeLimits {
  /** Decoded bytes to keep. */
  readonly maxBytes: number
  /** Decoded bytes for one byte on the wire; past it, and past `BOMB_FLOOR_BYTES`, the body is a bomb. */
  readonly maxRatio: number
}

export type Decoded =
  | {
      readonly kind: 'decoded'
      readonly bytes: Uint8Array
      /** Codings undone, outermost first. */
      readonly undone: readonly string[]
      readonly truncated?: 'size' | 'encoding'
    }
  | { readonly kind: 'bomb' }
  | { readonly kind: 'unsupported'; readonly detail: string }

/** What every runtime we support can undo. */
export const ACCEPT_ENCODING = 'gzip, deflate, br, zstd'

/** More codings on one body than this are never honest. */
export const MAX_CODINGS = 3

/** Small pages of one repeated line pass, whatever their ratio. */
export const BOMB_FLOOR_BYTES = 1024 * 1024

/** Up to here a body is decoded in one call, several times faster than a stream; beyond, it would hold up the other fetches. */
const ONE_CALL_BYTES = 256 * 1024

/** The content codings of a response in the order they were applied, lower case, without `identity`. */
export function codingsOf(headers: HeaderList): string[] {
  return headerValues(headers, 'content-encoding')
    .flatMap((value) => value.toLowerCase().split(','))
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity')
}

/** Undoes `codings`. A coding that was declared but not applied is skipped; of a damaged body what came before the damage is kept. */
export async function decodeBody(
  wire: Uint8Array,
  codings: readonly string[],
  limits: DecodeLimits,
): Promise<Decoded> {
  if (codings.length > MAX_CODINGS)
    return { kind: 'unsupported', detail: `${codings.length} content codings, ${MAX_CODINGS} at most` }
  const unknown = codings.find((coding) => !isKnown(coding))
  if (unknown !== undefined) return { kind: 'unsupported', detail: `content coding ${unknown}` }

  // The ratio counts for each layer and over all, so a bomb can be hidden neither behind padding nor in several small steps.
  const ratioBytes = wire.length * limits.maxRatio
  const limitBytes = Math.min(limits.maxBytes, Math.max(BOMB_FLOOR_BYTES, ratioBytes))
  const undone: string[] = []
  let bytes = wire
  let truncated: 'size' | 'encoding' | undefined
  for (const coding of codings.toReversed()) {
    if (bytes.length === 0) break
    const layer =
      decodeInOneCall(coding, bytes, limitBytes) ?? (await decodeStepwise(coding, bytes, limitBytes))
    if (
      layer.end === 'limit' &&
      (ratioBytes < limits.maxBytes || layer.bytes.length > layer.readBytes * limits.maxRatio)
    )
      return { kind: 'bomb' }
    // Damaged and readable as it stands: it was never encoded.
    if (layer.end === 'damaged' && looksPlain(bytes)) continue
    if (layer.end !== 'complete') truncated ??= layer.end === 'limit' ? 'size' : 'encoding'
    bytes = layer.bytes
    undone.push(coding)
  }
  // Not every coding need have been decoded; skipped ones keep their length.
  if (bytes.length > limits.maxBytes) {
    bytes = bytes.subarray(0, limits.maxBytes)
    truncated = 'size'
  }
  return truncated === undefined
    ? { kind: 'decoded', bytes, undone }
    : { kind: 'decoded', bytes, undone, truncated }
}

interface Layer {
  readonly bytes: Uint8Array
  /** How much of the encoded bytes it took. */
  readonly readBytes: number
  readonly end: 'complete' | 'limit' | 'damaged'
}

// Windows over 8 MiB are not for the web (RFC 9659); without a limit a few bytes could claim 128 MiB.
const ZSTD_PARAMS = { [constants.ZSTD_d_windowLogMax]: 23 }

const DECODERS = {
  gzip: { inOneCall: gunzipSync, create: createGunzip, options: {} },
  zlib: { inOneCall: inflateSync, create: createInflate, options: {} },
  raw: { inOneCall: inflateRawSync, create: createInflateRaw, options: {} },
  br: { inOneCall: brotliDecompressSync, create: createBrotliDecompress, options: {} },
  zstd: { inOneCall: zstdDecompressSync, create: createZstdDecompress, options: { params: ZSTD_PARAMS } },
}

function isKnown(coding: string): boolean {
  return (
    coding === 'gzip' || coding === 'x-gzip' || coding === 'deflate' || coding === 'br' || coding === 'zstd'
  )
}

function decoderFor(coding: string, bytes: Uint8Array) {
  if (coding === 'br') return DECODERS.br
  if (coding === 'zstd') return DECODERS.zstd
  if (coding !== 'deflate') return DECODERS.gzip
  // "deflate" means zlib's format by the book and raw deflate in some old servers; the two header bytes of zlib are a multiple of 31.
  const [first = 0, second = 0] = bytes
  return (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0 ? DECODERS.zlib : DECODERS.raw
}

/** The whole layer, or `undefined` when that is not possible: too long for one call, over the limit, or damaged. */
function decodeInOneCall(coding: string, bytes: Uint8Array, limitBytes: number): Layer | undefined {
  if (bytes.length > ONE_CALL_BYTES || (coding === 'zstd' && isCutZstd(bytes))) return undefined
  const decoder = decoderFor(coding, bytes)
  try {
    const decoded = decoder.inOneCall(bytes, { ...decoder.options, maxOutputLength: limitBytes })
    return { bytes: decoded, readBytes: bytes.length, end: 'complete' }
  } catch {
    return undefined
  }
}

/** The layer up to the limit or the damage. Fed in steps, because a decoder drops the output of the step in which it fails. */
async function decodeStepwise(coding: string, bytes: Uint8Array, limitBytes: number): Promise<Layer> {
  const decoder = decoderFor(coding, bytes)
  const stream = decoder.create(decoder.options)
  const chunks: Uint8Array[] = []
  let length = 0
  let end: Layer['end'] = 'complete'
  const closed = new Promise<void>((resolve) => stream.once('close', resolve))
  stream.on('error', () => {
    if (end === 'complete') end = 'damaged'
  })
  stream.on('data', (chunk: Uint8Array) => {
    if (end === 'limit') return
    const room = limitBytes - length
    chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk)
    length += Math.min(chunk.length, room)
    if (chunk.length <= room) return
    end = 'limit'
    stream.destroy()
  })

  // The last eight bytes go alone: in gzip they are checksum and length, whose failure must not cost the text before them.
  const tail = Math.max(0, bytes.length - 8)
  const step = bytes.length > ONE_CALL_BYTES ? 64 * 1024 : 1024
  for (let at = 0; at < tail && !stream.destroyed; at += step)
    await write(bytes.subarray(at, Math.min(at + step, tail)))
  if (!stream.destroyed) await write(bytes.subarray(tail))
  if (!stream.destroyed) stream.end()
  await closed
  if (end === 'complete' && coding === 'zstd' && isCutZstd(bytes)) end = 'damaged'
  return { bytes: Buffer.concat(chunks, length), readBytes: stream.bytesWritten, end }

  /** Done when the step is through. A decoder that fails closes, and never calls back. */
  function write(piece: Uint8Array): Promise<void> {
    const written = new Promise<void>((resolve) => stream.write(piece, () => resolve()))
    return Promise.race([written, closed])
  }
}

/** Whether the beginning is free of control characters that text does not have. Compressed bytes do not stay so for long. */
function looksPlain(bytes: Uint8Array): boolean {
  for (const byte of bytes.subarray(0, 256)) {
    if (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0c && byte !== 0x0d) return false
  }
  return true
}
