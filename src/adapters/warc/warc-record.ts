import { createHash, hash } from 'node:crypto'

/** The named fields of a record's head, in order; those that are `undefined` are left out. */
export type WarcFields = ReadonlyArray<readonly [name: string, value: string | undefined]>

/** A record of WARC 1.1 as bytes, not yet compressed. Content-Length and WARC-Block-Digest are added. */
export function warcRecord(fields: WarcFields, block: Uint8Array): Uint8Array {
  const all: WarcFields = [
    ...fields,
    ['WARC-Block-Digest', sha1Digest(block)],
    ['Content-Length', String(block.byteLength)],
  ]
  const lines = all.flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${oneLine(value)}`]))
  const head = Buffer.from(`WARC/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
  return Buffer.concat([head, block, END])
}

/** `sha1:` and the hash in base 32, as web archives write it. */
export function sha1Digest(bytes: Uint8Array): string {
  return `sha1:${base32(createHash('sha1').update(bytes).digest())}`
}

/** A record id that is always the same for the same `name`: a UUID of version 5. */
export function recordId(name: string): string {
  const bytes = Buffer.from(hash('sha1', `orbweaver ${name}`, 'buffer').subarray(0, 16))
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = bytes.toString('hex')
  const groups = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)]
  return `<urn:uuid:${groups.join('-')}>`
}

const END = Buffer.from('\r\n\r\n')

/** Twenty bytes are 32 digits to the bit, so there is no padding. */
function base32(bytes: Uint8Array): string {
  let bits = 0n
  for (const byte of bytes) bits = (bits << 8n) | BigInt(byte)
  let digits = ''
  for (let i = 0; i < (bytes.length * 8) / 5; i++) {
    digits = DIGITS.charAt(Number(bits & 31n)) + digits
    bits >>= 5n
  }
  return digits
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** What a server says must not become a field of its own. */
function oneLine(value: string): string {
  return value.replace(/[\r\n]+/g, ' ')
}
