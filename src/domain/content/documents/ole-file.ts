import { DocumentError } from './document-reader.ts'

interface Stream {
  readonly start: number
  readonly size: number
}

const END_OF_CHAIN = 0xfffffffe
const DIRECTORY_ENTRY_BYTES = 128
const MAX_DIRECTORY_ENTRIES = 10_000

/** The streams of a compound file (OLE), which is what Office wrote before 2007. Chains that run in circles end at the size of the file. */
export class OleFile {
  readonly #bytes: Buffer
  readonly #sectorBytes: number
  readonly #miniCutoff: number
  readonly #fat: Uint32Array
  readonly #miniFat: Uint32Array
  readonly #miniStream: Buffer
  readonly #streams = new Map<string, Stream>()

  /** @throws DocumentError, or a RangeError if the file is too short */
  constructor(bytes: Uint8Array) {
    const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#bytes = file
    const shift = file.readUInt16LE(30)
    if (shift !== 9 && shift !== 12) throw new DocumentError('broken', 'the sector size of the file is wrong')
    this.#sectorBytes = 1 << shift
    this.#miniCutoff = file.readUInt32LE(56)
    this.#fat = numbersOf(this.#sectors(this.#fatSectors()))
    const directory = this.#sectors(this.#chain(file.readUInt32LE(48)))
    this.#miniFat = numbersOf(this.#sectors(this.#chain(file.readUInt32LE(60))))
    const root = this.#readDirectory(directory)
    this.#miniStream = root === undefined ? Buffer.alloc(0) : this.#regular(root)
  }

  /** `undefined` if there is no such stream. */
  stream(name: string): Buffer | undefined {
    const stream = this.#streams.get(name)
    if (stream === undefined) return undefined
    return stream.size < this.#miniCutoff ? this.#mini(stream) : this.#regular(stream)
  }

  /** The first ones are in the header, the others in sectors of their own. */
  #fatSectors(): number[] {
    const sectors: number[] = []
    const add = (from: number, to: number) => {
      for (let at = from; at < to; at += 4) {
        const sector = this.#bytes.readUInt32LE(at)
        if (sector < END_OF_CHAIN - 1) sectors.push(sector)
      }
    }
    add(76, 512)
    let next = this.#bytes.readUInt32LE(68)
    for (let i = 0; next < END_OF_CHAIN - 1 && i < this.#maxSectors; i++) {
      const at = (next + 1) * this.#sectorBytes
      add(at, at + this.#sectorBytes - 4)
      next = this.#bytes.readUInt32LE(at + this.#sectorBytes - 4)
    }
    return sectors.slice(0, this.#maxSectors)
  }

  get #maxSectors(): number {
    return Math.ceil(this.#bytes.length / this.#sectorBytes)
  }

  #chain(start: number): number[] {
    const sectors: number[] = []
    for (let sector = start; sector < this.#fat.length && sectors.length < this.#maxSectors; ) {
      sectors.push(sector)
      sector = this.#fat[sector] ?? END_OF_CHAIN
    }
    return sectors
  }

  #sectors(sectors: readonly number[]): Buffer {
    return Buffer.concat(
      sectors.map((sector) => {
        const at = (sector + 1) * this.#sectorBytes
        return this.#bytes.subarray(at, at + this.#sectorBytes)
      }),
    )
  }

  #regular({ start, size }: Stream): Buffer {
    return this.#sectors(this.#chain(start)).subarray(0, size)
  }

  #mini({ start, size }: Stream): Buffer {
    const parts: Buffer[] = []
    let sector = start
    while (sector < this.#miniFat.length && parts.length < this.#miniFat.length) {
      parts.push(this.#miniStream.subarray(sector * 64, sector * 64 + 64))
      sector = this.#miniFat[sector] ?? END_OF_CHAIN
    }
    return Buffer.concat(parts).subarray(0, size)
  }

  /** Returns the root, whose stream has the small streams in it. Storages are not told apart: names of streams are unique enough. */
  #readDirectory(directory: Buffer): Stream | undefined {
    let root: Stream | undefined
    const end = Math.min(directory.length, MAX_DIRECTORY_ENTRIES * DIRECTORY_ENTRY_BYTES)
    for (let at = 0; at + DIRECTORY_ENTRY_BYTES <= end; at += DIRECTORY_ENTRY_BYTES) {
      const nameBytes = Math.min(64, directory.readUInt16LE(at + 64))
      const name = directory.toString('utf16le', at, at + Math.max(0, nameBytes - 2))
      const stream = { start: directory.readUInt32LE(at + 116), size: directory.readUInt32LE(at + 120) }
      const kind = directory[at + 66]
      if (kind === 5) root ??= stream
      else if (kind === 2 && !this.#streams.has(name)) this.#streams.set(name, stream)
    }
    return root
  }
}

function numbersOf(bytes: Buffer): Uint32Array {
  const numbers = new Uint32Array(Math.floor(bytes.length / 4))
  for (let i = 0; i < numbers.length; i++) numbers[i] = bytes.readUInt32LE(i * 4)
  return numbers
}
