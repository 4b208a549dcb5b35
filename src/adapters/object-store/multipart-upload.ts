import type { FileHandle } from 'node:fs/promises'
import { ObjectStoreUnavailable } from '../../domain/object-store/object-store.ts'
import { isOwnPut, type PutTarget, putHeaders, readPart } from './put-target.ts'
import type { S3Client } from './s3-client.ts'
import { escapeXml, xmlText } from './s3-xml.ts'

/** Files up to this size are put in one request. */
export const PART_BYTES = 16 * 1024 * 1024

/** A file that is put in parts. The object appears when all of them are there; a failure removes them. */
export class MultipartUpload {
  readonly #client: S3Client
  readonly #target: PutTarget
  readonly #file: FileHandle
  readonly #bytes: number
  readonly #partBytes: number

  constructor(client: S3Client, target: PutTarget, file: FileHandle, bytes: number) {
    this.#client = client
    this.#target = target
    this.#file = file
    this.#bytes = bytes
    this.#partBytes = Math.max(PART_BYTES, Math.ceil(bytes / MAX_PARTS))
  }

  /** Starts an upload and removes it, so that there is never an object. @throws ObjectStoreRefused as a put would */
  static async tryOut(client: S3Client, key: string): Promise<void> {
    await abort(client, key, await start(client, key, {}))
  }

  async run(): Promise<'put' | 'exists'> {
    const { key, putId } = this.#target
    const uploadId = await start(this.#client, key, putHeaders({ putId, ifAbsent: false }))
    try {
      const outcome = await this.#complete(uploadId, await this.#putParts(uploadId))
      if (outcome === 'exists') await abort(this.#client, key, uploadId)
      return outcome
    } catch (error) {
      await abort(this.#client, key, uploadId)
      throw error
    }
  }

  /** The ETags of the parts, in order. */
  async #putParts(uploadId: string): Promise<string[]> {
    const etags: string[] = new Array(Math.ceil(this.#bytes / this.#partBytes))
    let next = 0
    const putSome = async (): Promise<void> => {
      for (let i = next++; i < etags.length; i = next++) {
        const start = i * this.#partBytes
        const body = await readPart(this.#file, start, Math.min(this.#partBytes, this.#bytes - start))
        const query = { partNumber: String(i + 1), uploadId }
        const { key } = this.#target
        const { status, headers } = await this.#client.request({ method: 'PUT', key, query, body })
        if (status === 404) throw this.#gone()
        etags[i] = headers['etag']?.toString() ?? ''
      }
    }
    const results = await Promise.allSettled(Array.from({ length: PARALLEL_PARTS }, putSome))
    // All have ended: a part that arrives after the upload was aborted would stay.
    for (const result of results) if (result.status === 'rejected') throw result.reason
    return etags
  }

  async #complete(uploadId: string, etags: readonly string[]): Promise<'put' | 'exists'> {
    const { key, putId, ifAbsent } = this.#target
    const parts = etags.map(
      (etag, i) => `<Part><PartNumber>${i + 1}</PartNumber><ETag>${escapeXml(etag)}</ETag></Part>`,
    )
    const { status } = await this.#client.request({
      method: 'POST',
      key,
      query: { uploadId },
      headers: putHeaders({ ifAbsent }),
      body: Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`),
    })
    if (status < 300) return 'put'
    // The response to an earlier attempt may have been lost: then the upload is gone, or the object exists.
    if (await isOwnPut(this.#client, key, putId)) return 'put'
    if (status === 404) throw this.#gone()
    return 'exists'
  }

  #gone(): ObjectStoreUnavailable {
    return new ObjectStoreUnavailable(
      `the upload of ${this.#target.key} was aborted by another program, or by a rule of the bucket. Try again`,
    )
  }
}

/** The id of a new upload. */
async function start(client: S3Client, key: string, headers: Record<string, string>): Promise<string> {
  const { body = '' } = await client.request({ method: 'POST', key, query: { uploads: '' }, headers })
  return xmlText(body, 'UploadId') ?? ''
}

/** Parts of an upload that cannot be aborted stay until the life-cycle rule of the bucket removes them. */
async function abort(client: S3Client, key: string, uploadId: string): Promise<void> {
  await client.request({ method: 'DELETE', key, query: { uploadId } }).catch(() => {})
}

const MAX_PARTS = 10_000
const PARALLEL_PARTS = 3
