import { formatBytes } from '../../base/format-values.ts'
import { printable } from '../../base/printable.ts'
import { parseContentType } from '../../domain/content/content-type.ts'
import { sniffType } from '../../domain/content/sniff-type.ts'
import type { HttpResponse, Truncation } from '../../domain/fetch/fetch-outcome.ts'
import { type HeaderList, header } from '../../domain/fetch/headers.ts'
import { fileExtension, isTypeAllowed } from '../../domain/files/file-extension.ts'
import type { DraftEnd, FileContent, FileDraft, FileLimits } from '../../domain/files/file-store.ts'
import { BodyDecoder, contentCoding, isPackedFile } from './body-decoder.ts'
import type { PartialFile } from './partial-file.ts'
import type { PartialFolder } from './partial-folder.ts'

type Rejection = Extract<DraftEnd, { readonly kind: 'rejected' }>

export interface FileDraftParts {
  readonly url: string
  readonly limits: FileLimits
  readonly file: PartialFile
  readonly folder: PartialFolder
  /** Moves the complete file into the store. */
  readonly publish: (local: string, content: FileContent) => Promise<void>
}

/** Receives the body of a response into a partial file, and checks it against the limits while it comes. */
export class PartialFileDraft implements FileDraft {
  readonly headers: Readonly<Record<string, string>>
  readonly #parts: FileDraftParts
  #rejected: Rejection | undefined
  /** Why the response is of no use. */
  #fault: string | undefined
  #contentType: string | undefined
  #decoder: BodyDecoder | undefined
  /** Size of the whole file, where a partial response says it. */
  #announcedSize: number | undefined

  constructor(parts: FileDraftParts) {
    this.#parts = parts
    const { bytes, validator } = parts.file.notes
    this.headers =
      bytes > 0 && validator !== undefined ? { range: `bytes=${bytes}-`, 'if-range': validator } : {}
  }

  open({ status, headers }: Pick<HttpResponse, 'status' | 'headers'>): boolean {
    const { file, limits, url } = this.#parts
    this.#contentType = header(headers, 'content-type')
    if (status === 206) {
      if (!this.#continues(header(headers, 'content-range') ?? '')) return false
    } else if (file.resumedBytes > 0) file.restart()
    const coding = contentCoding(headers)
    if (coding !== undefined && !isPackedFile(url, parseContentType(this.#contentType ?? '')?.type ?? '')) {
      this.#decoder = BodyDecoder.of(coding, (piece) => this.#take(piece))
      if (this.#decoder === undefined || status === 206) {
        this.#fault = `the server uses the content coding ${printable(coding)}, which cannot be decoded`
        return false
      }
    }
    file.notes = { bytes: file.notes.bytes, ...this.#validator(headers, coding) }
    const announced = file.size + Number.parseInt(header(headers, 'content-length') ?? '0', 10)
    if (announced > limits.maxBytes) this.#rejectSize(`${formatBytes(announced)} announced`)
    return this.#rejected === undefined
  }

  write(piece: Uint8Array): boolean | Promise<void> {
    if (this.#isOver()) return false
    return this.#decoder === undefined ? this.#take(piece) : this.#decoder.write(piece)
  }

  async finish(truncated: Truncation | undefined): Promise<DraftEnd> {
    const { file, folder } = this.#parts
    await this.#decoder?.end()
    if (file.error !== undefined) {
      await folder.remove(file)
      throw file.error
    }
    if (this.#rejected !== undefined) return this.#rejectedEnd(this.#rejected)
    if (truncated !== undefined && this.#fault === undefined) {
      const received = `${formatBytes(file.size)} received`
      await this.suspend()
      return { kind: 'incomplete', reason: `${TRUNCATIONS[truncated] ?? truncated}; ${received}` }
    }
    if (this.#decoder?.isDamaged === true) this.#fault = 'the body is damaged: it cannot be decoded'
    if (this.#announcedSize !== undefined && this.#announcedSize !== file.size)
      this.#fault = `${file.size} bytes instead of the ${this.#announcedSize} that the server announced`
    if (this.#fault !== undefined) {
      await folder.remove(file)
      return { kind: 'incomplete', reason: this.#fault }
    }
    this.#checkType()
    if (this.#rejected !== undefined) return this.#rejectedEnd(this.#rejected)
    return { kind: 'stored', file: await this.#store() }
  }

  async suspend(): Promise<void> {
    const { file, folder } = this.#parts
    this.#decoder?.destroy()
    await folder.suspend(file)
  }

  async discard(): Promise<void> {
    const { file, folder } = this.#parts
    this.#decoder?.destroy()
    await folder.remove(file)
  }

  async #store(): Promise<FileContent> {
    const { url, file, folder, publish } = this.#parts
    await file.sync()
    const hash = await file.digest()
    const { type } = this.#sniffed()
    const extension = fileExtension(type, url)
    const path = `${hash.slice(0, 2)}/${hash}${extension === undefined ? '' : `.${extension}`}`
    const content = { path, hash, size: file.size, type }
    await file.close()
    await publish(file.path, content)
    await folder.moved(file)
    return content
  }

  #take(piece: Uint8Array): boolean | Promise<void> {
    const { file, limits } = this.#parts
    if (this.#isOver()) return false
    const hadHead = file.isHeadComplete
    if (file.size + piece.length > limits.maxBytes)
      this.#rejectSize(`more than ${formatBytes(limits.maxBytes)} received`)
    else {
      const taken = file.append(piece)
      if (!hadHead && file.isHeadComplete) this.#checkType()
      if (!this.#isOver()) return taken
    }
    return false
  }

  #isOver(): boolean {
    return this.#rejected !== undefined || this.#fault !== undefined || this.#parts.file.error !== undefined
  }

  /** Whether a partial response is the part that was requested. */
  #continues(contentRange: string): boolean {
    const { file } = this.#parts
    const [, first, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/i.exec(contentRange.trim()) ?? []
    if (file.resumedBytes > 0 && Number(first) === file.resumedBytes) {
      if (total !== '*') this.#announcedSize = Number(total)
      return true
    }
    this.#fault = `the server sent another part of the file than requested (Content-Range: ${printable(contentRange)})`
    return false
  }

  /** A weak ETag does not guarantee equal bytes, and an encoded body cannot be continued. */
  #validator(headers: HeaderList, coding: string | undefined): { validator?: string } {
    if (coding !== undefined || header(headers, 'accept-ranges')?.toLowerCase() === 'none') return {}
    const etag = header(headers, 'etag')
    const validator = etag === undefined || etag.startsWith('W/') ? header(headers, 'last-modified') : etag
    return validator === undefined ? {} : { validator }
  }

  #rejectSize(detail: string): void {
    const limit = formatBytes(this.#parts.limits.maxBytes)
    this.#rejected = {
      ...{ kind: 'rejected', code: 'file-too-large' },
      reason: `larger than files.maxBytes (${limit}): ${detail}`,
    }
  }

  #checkType(): void {
    const { types } = this.#parts.limits
    const { type } = this.#sniffed()
    if (!isTypeAllowed(type, types))
      this.#rejected = {
        ...{ kind: 'rejected', code: 'file-type' },
        reason: `${printable(type)} is not among files.types (${types.join(', ')})`,
      }
  }

  #sniffed() {
    return sniffType(this.#parts.file.head, this.#contentType, this.#parts.url)
  }

  async #rejectedEnd(end: Rejection): Promise<DraftEnd> {
    await this.discard()
    return end
  }
}

const TRUNCATIONS: Readonly<Partial<Record<Truncation, string>>> = {
  disconnect: 'the connection was closed before the end of the file',
  time: 'no end of the file within the time limit',
}
