import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * A temporary file of links between numbered nodes, eight bytes each, that is written once and then read from the start many times.
 * Reading the same rows from a table takes three times as long.
 */
export class LinkFile {
  readonly #file: FileHandle
  readonly #path: string
  readonly #block = new Uint32Array(BLOCK_NUMBERS)
  #filled = 0
  #bytes = 0

  private constructor(file: FileHandle, path: string) {
    this.#file = file
    this.#path = path
  }

  static async create(path: string): Promise<LinkFile> {
    await mkdir(dirname(path), { recursive: true })
    return new LinkFile(await open(path, 'w+'), path)
  }

  /** The number of links. Those of the last `add` calls count after `flush`. */
  get length(): number {
    return this.#bytes / (2 * NUMBER_BYTES)
  }

  /** @returns whether the buffer is full: call `flush` before the next link */
  add(source: number, target: number): boolean {
    this.#block[this.#filled++] = source
    this.#block[this.#filled++] = target
    return this.#filled === BLOCK_NUMBERS
  }

  /** Writes what was added. */
  async flush(): Promise<void> {
    await this.#file.writeFile(this.#block.subarray(0, this.#filled))
    this.#bytes += this.#filled * NUMBER_BYTES
    this.#filled = 0
  }

  /** All links: a source and a target in turn. A block is valid until the next one is read. */
  async *blocks(): AsyncGenerator<Uint32Array> {
    for (let position = 0; position < this.#bytes; ) {
      const length = Math.min(this.#block.byteLength, this.#bytes - position)
      const bytes = new Uint8Array(this.#block.buffer, 0, length)
      for (let filled = 0; filled < length; ) {
        const { bytesRead } = await this.#file.read(bytes, filled, length - filled, position + filled)
        if (bytesRead === 0) throw new Error(`${this.#path} was truncated`)
        filled += bytesRead
      }
      position += length
      yield this.#block.subarray(0, length / NUMBER_BYTES)
    }
  }

  async remove(): Promise<void> {
    await this.#file.close()
    await rm(this.#path, { force: true })
  }
}

const NUMBER_BYTES = 4
/** One megabyte. */
const BLOCK_NUMBERS = 262_144
