/**
 * The few pieces of DER (the encoding of certificates) that `certificates.ts` needs. Each function gives one complete
 * element: tag, length, content.
 */

export const derSequence = (...items: readonly Buffer[]): Buffer => element(0x30, Buffer.concat(items))

export const derSet = (...items: readonly Buffer[]): Buffer => element(0x31, Buffer.concat(items))

export const derBoolean = (value: boolean): Buffer => element(0x01, Buffer.of(value ? 0xff : 0))

export const derOctets = (content: Uint8Array): Buffer => element(0x04, content)

export const derUtf8 = (text: string): Buffer => element(0x0c, Buffer.from(text))

/** A whole number of bytes; the leading "unused bits" octet is zero. */
export const derBits = (content: Uint8Array): Buffer => element(0x03, Buffer.of(0), content)

/** Big-endian and not negative: a byte is put in front when the first bit is set. */
export function derInteger(bytes: Uint8Array): Buffer {
  const [first = 0] = bytes
  return first < 0x80 ? element(0x02, bytes) : element(0x02, Buffer.of(0), bytes)
}

/** An object identifier such as `2.5.4.3`. */
export function derOid(dotted: string): Buffer {
  const [first = 0, second = 0, ...remainder] = dotted.split('.').map(Number)
  return element(0x06, Buffer.from([first * 40 + second, ...remainder.flatMap(base128)]))
}

/** GeneralizedTime, in whole seconds. */
export function derTime(ms: number): Buffer {
  return element(0x18, Buffer.from(`${new Date(ms).toISOString().replace(/\.\d+Z$|[-:T]/g, '')}Z`))
}

/** A context-specific element, `[number]`, around others or around bare content. */
export function derTagged(number: number, content: Uint8Array, constructed = true): Buffer {
  return element((constructed ? 0xa0 : 0x80) | number, content)
}

function element(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.of(tag), length(content.length), content])
}

function length(bytes: number): Buffer {
  if (bytes < 0x80) return Buffer.of(bytes)
  const digits: number[] = []
  for (let remainder = bytes; remainder > 0; remainder = Math.floor(remainder / 256))
    digits.unshift(remainder % 256)
  return Buffer.from([0x80 | digits.length, ...digits])
}

function base128(value: number): number[] {
  const digits = [value & 0x7f]
  for (let remainder = value >> 7; remainder > 0; remainder >>= 7) digits.unshift((remainder & 0x7f) | 0x80)
  return digits
}
