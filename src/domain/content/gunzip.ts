import { constants, gunzipSync } from 'node:zlib'

export interface Gunzipped {
  readonly bytes: Uint8Array
  /** The data was damaged, cut or larger than allowed; `bytes` is a part from its start. */
  readonly truncated: boolean
}

/** `undefined` when nothing at all can be had from the data. */
export function gunzip(data: Uint8Array, maxBytes: number): Gunzipped | undefined {
  const whole = inflate(data, maxBytes, constants.Z_FINISH)
  if (whole !== undefined) return { bytes: whole, truncated: false }
  // Cut, damaged or too large. First all of it, then without the checksum at its end, then half as much each time: no
  // try decodes more than `maxBytes`, so that a bomb costs a few dozen of them at most.
  for (const length of shorterAndShorter(data.length)) {
    const bytes = inflate(data.subarray(0, length), maxBytes, constants.Z_SYNC_FLUSH)
    if (bytes !== undefined) return bytes.length === 0 ? undefined : { bytes, truncated: true }
  }
  return undefined
}

const CHECKSUM_BYTES = 8

function* shorterAndShorter(length: number): Generator<number> {
  yield length
  for (let prefix = length - CHECKSUM_BYTES; prefix > 0; prefix >>= 1) yield prefix
}

/** With `Z_SYNC_FLUSH` a stream that is cut gives what it has; with `Z_FINISH` it is an error. */
function inflate(data: Uint8Array, maxOutputLength: number, finishFlush: number): Uint8Array | undefined {
  try {
    return gunzipSync(data, { maxOutputLength, finishFlush })
  } catch {
    return undefined
  }
}
