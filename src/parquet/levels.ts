/** Small numbers, one for each value: whether it is there, whether it begins a list. Written as runs where they repeat. */
export class Levels {
  #values = new Uint8Array(256)
  #length = 0
  #differs = false

  get length(): number {
    return this.#length
  }

  push(level: number): void {
    if (this.#length === this.#values.length) {
      const larger = new Uint8Array(this.#length * 2)
      larger.set(this.#values)
      this.#values = larger
    }
    this.#differs ||= this.#length > 0 && level !== this.#values[0]
    this.#values[this.#length++] = level
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
  let rest = value
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80)
  bytes.push(rest)
  return bytes
}
