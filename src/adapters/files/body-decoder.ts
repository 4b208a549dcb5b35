import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import { type HeaderList, headerValues } from '../../domain/fetch/headers.ts'

const DECODERS = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
} as const

/** The content coding of a response; `undefined`: it has none. */
export function contentCoding(headers: HeaderList): string | undefined {
  const codings = headerValues(headers, 'content-encoding').join(',').toLowerCase().split(',')
  return (
    codings
      .map((coding) => coding.trim())
      .filter((coding) => !/^(?:identity)?$/.test(coding))
      .join(', ') || undefined
  )
}

/** Whether a coding belongs to the file: servers declare that of `data.tar.gz`, which is to be stored as it is. */
export function isPackedFile(url: string, type: string): boolean {
  return (
    /\.(?:t?gz|tar|bz2|br|zst|xz)$/i.test(new URL(url).pathname) ||
    /^application\/(?:x-)?(?:gzip|zstd)$/.test(type)
  )
}

/** Decodes a body in pieces: for a server that encodes although the request does not allow it. */
export class BodyDecoder {
  /** Whether what it was given is not valid. */
  isDamaged = false
  readonly #stream: ReturnType<(typeof DECODERS)[keyof typeof DECODERS]>
  readonly #closed: Promise<void>

  /** @param take gets the decoded pieces; it may return a promise to wait for, or `false` to stop */
  private constructor(coding: keyof typeof DECODERS, take: (piece: Uint8Array) => boolean | Promise<void>) {
    const stream = DECODERS[coding]()
    this.#stream = stream
    this.#closed = new Promise((resolve) => stream.once('close', resolve))
    stream.on('error', () => {
      this.isDamaged = true
    })
    stream.on('data', (piece: Buffer) => {
      const taken = take(piece)
      if (taken === false) stream.destroy()
      if (typeof taken === 'boolean') return
      stream.pause()
      void taken.then(() => stream.resume())
    })
  }

  /** `undefined` for a coding that is not known. */
  static of(coding: string, take: (piece: Uint8Array) => boolean | Promise<void>): BodyDecoder | undefined {
    return Object.hasOwn(DECODERS, coding)
      ? new BodyDecoder(coding as keyof typeof DECODERS, take)
      : undefined
  }

  /** Fulfilled when the piece is decoded. */
  write(piece: Uint8Array): Promise<void> {
    const written = new Promise<void>((resolve) => this.#stream.write(Buffer.from(piece), () => resolve()))
    return Promise.race([written, this.#closed])
  }

  /** Fulfilled when all pieces are decoded and taken. */
  async end(): Promise<void> {
    if (!this.#stream.destroyed) this.#stream.end()
    await this.#closed
  }

  destroy(): void {
    this.#stream.destroy()
  }
}
