import { readFileSync } from 'node:fs'

/** What a scanner finds. */
export interface Scanned {
  readonly title: string | undefined
  readonly text: string
  readonly links: ReadonlyArray<{ readonly href: string; readonly anchor: string }>
}

/** Node.js has it, but its types do not. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown }
}

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer }
  reserve(bytes: number): number
  scan(bytes: number): number
  textStart(): number
  textEnd(): number
  tableStart(): number
  titleFrom(): number
  titleTo(): number
}

/** Four numbers of 32 bits: start and length of the address, and of the anchor text. */
const ROW_BYTES = 16

/** The scanner of scan-kernel.as. */
export class ScanKernel {
  readonly #exports: Exports

  constructor(file: string) {
    const imports = { env: { abort: () => process.abort() } }
    const module = new WebAssembly.Module(readFileSync(file))
    this.#exports = new WebAssembly.Instance(module, imports).exports as Exports
  }

  /** Leaves the columns in the memory of the kernel. @returns the number of links */
  scanToColumns(page: Buffer): number {
    const start = this.#exports.reserve(page.length)
    new Uint8Array(this.#exports.memory.buffer, start, page.length).set(page)
    return this.#exports.scan(page.length)
  }

  /** Makes strings of the columns. */
  scan(page: Buffer): Scanned {
    const count = this.scanToColumns(page)
    const { memory, tableStart, textStart, textEnd, titleFrom, titleTo } = this.#exports
    const bytes = Buffer.from(memory.buffer)
    const text = (start: number, end: number): string => bytes.toString('utf8', start, end)
    const links = Array.from({ length: count }, (_, i) => {
      const row = tableStart() + i * ROW_BYTES
      const slice = (at: number): string => {
        const start = bytes.readUInt32LE(at)
        return text(start, start + bytes.readUInt32LE(at + 4))
      }
      return { href: slice(row), anchor: slice(row + 8) }
    })
    return { title: text(titleFrom(), titleTo()), text: text(textStart(), textEnd()), links }
  }
}
