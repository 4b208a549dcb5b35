/**
 * MD5 (RFC 1321) of short texts without crossing into OpenSSL, whose set-up costs more than hashing a URL does: about
 * twice as fast as `node:crypto` where a number is wanted (bench/url.bench.ts). It tells texts apart; it protects nothing.
 *
 * Leaves the four words of the digest in `digest`: byte 0 of the digest is the lowest byte of word 0. Counts on a
 * little-endian machine, as every machine with an embedded database for Node is.
 */
export function md5(text: string, digest: Int32Array): void {
  const end = writeBlocks(text)
  const w = words
  let a0 = 0x67452301
  let b0 = 0xefcdab89 | 0
  let c0 = 0x98badcfe | 0
  let d0 = 0x10325476
  for (let block = 0; block < end; block += WORDS_PER_BLOCK) {
    let a = a0
    let b = b0
    let c = c0
    let d = d0
    let s = 0
    // The four rounds, four steps a turn. Spelled out: the engine stops inlining long before 64 calls.
    for (let i = 0; i < 16; i += 4) {
      s = (a + (d ^ (b & (c ^ d))) + (w[block + i] ?? 0) + (SINES[i] ?? 0)) | 0
      a = (b + ((s << 7) | (s >>> 25))) | 0
      s = (d + (c ^ (a & (b ^ c))) + (w[block + i + 1] ?? 0) + (SINES[i + 1] ?? 0)) | 0
      d = (a + ((s << 12) | (s >>> 20))) | 0
      s = (c + (b ^ (d & (a ^ b))) + (w[block + i + 2] ?? 0) + (SINES[i + 2] ?? 0)) | 0
      c = (d + ((s << 17) | (s >>> 15))) | 0
      s = (b + (a ^ (c & (d ^ a))) + (w[block + i + 3] ?? 0) + (SINES[i + 3] ?? 0)) | 0
      b = (c + ((s << 22) | (s >>> 10))) | 0
    }
    for (let i = 16; i < 32; i += 4) {
      s = (a + (c ^ (d & (b ^ c))) + (w[block + ((5 * i + 1) & 15)] ?? 0) + (SINES[i] ?? 0)) | 0
      a = (b + ((s << 5) | (s >>> 27))) | 0
      s = (d + (b ^ (c & (a ^ b))) + (w[block + ((5 * i + 6) & 15)] ?? 0) + (SINES[i + 1] ?? 0)) | 0
      d = (a + ((s << 9) | (s >>> 23))) | 0
      s = (c + (a ^ (b & (d ^ a))) + (w[block + ((5 * i + 11) & 15)] ?? 0) + (SINES[i + 2] ?? 0)) | 0
      c = (d + ((s << 14) | (s >>> 18))) | 0
      s = (b + (d ^ (a & (c ^ d))) + (w[block + ((5 * i) & 15)] ?? 0) + (SINES[i + 3] ?? 0)) | 0
      b = (c + ((s << 20) | (s >>> 12))) | 0
    }
    for (let i = 32; i < 48; i += 4) {
      s = (a + (b ^ c ^ d) + (w[block + ((3 * i + 5) & 15)] ?? 0) + (SINES[i] ?? 0)) | 0
      a = (b + ((s << 4) | (s >>> 28))) | 0
      s = (d + (a ^ b ^ c) + (w[block + ((3 * i + 8) & 15)] ?? 0) + (SINES[i + 1] ?? 0)) | 0
      d = (a + ((s << 11) | (s >>> 21))) | 0
      s = (c + (d ^ a ^ b) + (w[block + ((3 * i + 11) & 15)] ?? 0) + (SINES[i + 2] ?? 0)) | 0
      c = (d + ((s << 16) | (s >>> 16))) | 0
      s = (b + (c ^ d ^ a) + (w[block + ((3 * i + 14) & 15)] ?? 0) + (SINES[i + 3] ?? 0)) | 0
      b = (c + ((s << 23) | (s >>> 9))) | 0
    }
    for (let i = 48; i < 64; i += 4) {
      s = (a + (c ^ (b | ~d)) + (w[block + ((7 * i) & 15)] ?? 0) + (SINES[i] ?? 0)) | 0
      a = (b + ((s << 6) | (s >>> 26))) | 0
      s = (d + (b ^ (a | ~c)) + (w[block + ((7 * i + 7) & 15)] ?? 0) + (SINES[i + 1] ?? 0)) | 0
      d = (a + ((s << 10) | (s >>> 22))) | 0
      s = (c + (a ^ (d | ~b)) + (w[block + ((7 * i + 14) & 15)] ?? 0) + (SINES[i + 2] ?? 0)) | 0
      c = (d + ((s << 15) | (s >>> 17))) | 0
      s = (b + (d ^ (c | ~a)) + (w[block + ((7 * i + 5) & 15)] ?? 0) + (SINES[i + 3] ?? 0)) | 0
      b = (c + ((s << 21) | (s >>> 11))) | 0
    }
    a0 = (a0 + a) | 0
    b0 = (b0 + b) | 0
    c0 = (c0 + c) | 0
    d0 = (d0 + d) | 0
  }
  digest[0] = a0
  digest[1] = b0
  digest[2] = c0
  digest[3] = d0
}

const WORDS_PER_BLOCK = 16
const SINES = Int32Array.from({ length: 64 }, (_, i) => Math.floor(Math.abs(Math.sin(i + 1)) * 2 ** 32))

/** The padded text, as words and as the same bytes. Used again for every text; it grows when one is longer. */
let words = new Int32Array(64 * WORDS_PER_BLOCK)
let bytes = new Uint8Array(words.buffer)
const encoder = new TextEncoder()

/** Fills `words` with the UTF-8 bytes of `text` and their padding; returns the number of words. */
function writeBlocks(text: string): number {
  // A UTF-16 unit takes three bytes at most; one bit and the length are added.
  const needed = text.length * 3 + 72
  if (needed > bytes.length) {
    words = new Int32Array(Math.ceil(needed / 4))
    bytes = new Uint8Array(words.buffer)
  }
  const length = encoder.encodeInto(text, bytes).written
  const end = (((length + 8) >> 6) + 1) * WORDS_PER_BLOCK
  bytes.fill(0, length, end * 4)
  bytes[length] = 0x80
  words[end - 2] = length << 3
  words[end - 1] = length >>> 29
  return end
}
