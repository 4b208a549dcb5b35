import { createHash } from 'node:crypto'
import { md5 } from './md5.ts'

/**
 * The MD5 of the URL's UTF-8 bytes as an unsigned number, the first byte of the digest being the lowest. Any tool can
 * compute it: `md5_number(url)` in DuckDB, `int.from_bytes(md5(url).digest(), 'little')` in Python.
 * Two different URLs of a crawl never share it in practice.
 * @example
 * fingerprint128('https://example.org/').toString(16) // → '69496a282c67bbe79763906e7cf657ef'
 */
export function fingerprint128(url: string): bigint {
  md5(url, digest)
  return readDigest()
}

/**
 * The first eight bytes of the same MD5, again lowest first: `md5_number_upper(url)` in DuckDB, and the lower half of
 * `fingerprint128(url)` as a number. Among a billion URLs expect one pair that shares it in every 37 such crawls:
 * compare the URLs themselves where that matters.
 * @example
 * fingerprint64('https://example.org/') === BigInt.asUintN(64, fingerprint128('https://example.org/')) // → true
 */
export function fingerprint64(url: string): bigint {
  md5(url, digest)
  return view.getBigUint64(0, true)
}

/**
 * Tells requests apart. For a GET without a body it is the URL's own `fingerprint128`; otherwise the same number of
 * the bytes `METHOD url LF body`. `url` is normalised, an empty body is none.
 * @example
 * requestFingerprint('GET', 'https://example.org/') === fingerprint128('https://example.org/') // → true
 * requestFingerprint('POST', 'https://example.org/', 'q=1') === requestFingerprint('POST', 'https://example.org/', 'q=2') // → false
 */
export function requestFingerprint(method: string, url: string, body?: string | Uint8Array): bigint {
  const verb = method.toUpperCase()
  const bodyLength = body?.length ?? 0
  if (verb === 'GET' && bodyLength === 0) return fingerprint128(url)
  const bytes = createHash('md5')
    .update(`${verb} ${url}\n`)
    .update(body ?? '')
    .digest()
  return (bytes.readBigUInt64LE(8) << 64n) | bytes.readBigUInt64LE(0)
}

const digest = new Int32Array(4)
const view = new DataView(digest.buffer)

function readDigest(): bigint {
  return (view.getBigUint64(8, true) << 64n) | view.getBigUint64(0, true)
}
