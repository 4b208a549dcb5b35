import type { ByteBuffer, ByteReader } from './byte-buffer.ts'

/** Small numbers, one for each value: whether it is there, whether it begins a list. Written as runs where they repeat. */
export class Levels {
  #values = new Uint8Array(256)
  #length = 0
  #differs = false

  get length(): number {
    return this.#length
  }

  push(level: number): void {
    this.#room(1)
    this.#differs ||= this.#length > 0 && level !== this.#values[0]
    this.#values[this.#length++] = level
  }

  /** @param times at least 1 */
  pushRun(level: number, times: number): void {
    this.push(level)
    this.repeat(times - 1)
  }

  /** The last one again. */
  repeat(times: number): void {
    this.#room(times)
    this.#values.fill(this.#values[this.#length - 1] ?? 0, this.#length, this.#length + times)
    this.#length += times
  }

  /** All of them, for `append`. */
  pack(into: ByteBuffer): void {
    into.int32(this.#length)
    into.byte(this.#differs ? 1 : 0)
    if (this.#differs) into.bytes(this.#values.subarray(0, this.#length))
    else into.byte(this.#values[0] ?? 0)
  }

  append(packed: ByteReader): void {
    const length = packed.int32()
    const differs = packed.byte() === 1
    this.#room(length)
    const first = this.#length === 0 ? undefined : this.#values[0]
    if (differs) this.#values.set(packed.bytes(length), this.#length)
    else this.#values.fill(packed.byte(), this.#length, this.#length + length)
    this.#differs ||= differs || (length > 0 && first !== undefined && first !== this.#values[this.#length])
    this.#length += length
  }

  clear(): void {
    this.#length = 0
    this.#differs = false
  }

  /** How many of them are this one. */
  count(level: number): number {
    if (!this.#differs) return this.#values[0] === level ? this.#length : 0
    let n = 0
    for (let i = 0; i < this.#length; i++) if (this.#values[i] === level) n++
    return n
  }

  /** In the format's hybrid of runs and packed bits. @param bits of one level, 1 or 2 */
  encoded(bits: number): Uint8Array {
    return this.#differs ? this.#packed(bits) : this.#oneRun()
  }

  #room(more: number): void {
    if (this.#length + more <= this.#values.length) return
    const larger = new Uint8Array(Math.max(this.#values.length * 2, this.#length + more))
    larger.set(this.#values)
    this.#values = larger
  }

  #oneRun(): Uint8Array {
    return Uint8Array.from([...varint(this.#length * 2), this.#values[0] ?? 0])
  }

  #packed(bits: number): Uint8Array {
    const groups = Math.ceil(this.#length / 8)
    const head = varint(groups * 2 + 1)
    const bytes = new Uint8Array(head.length + groups * bits)
    bytes.set(head)
    for (let i = 0; i < this.#length; i++) {
      const at = i * bits
      const byte = head.length + (at >>> 3)
      bytes[byte] = (bytes[byte] ?? 0) | ((this.#values[i] ?? 0) << (at & 7))
    }
    return bytes
  }
}

/** A whole number below 2^31, seven bits to a byte, the lowest first. */
export function varint(value: number): number[] {
  const bytes: number[] = []
  let remaining = value
  for (; remaining > 0x7f; remaining >>>= 7) bytes.push((remaining & 0x7f) | 0x80)
  bytes.push(remaining)
  return bytes
}
