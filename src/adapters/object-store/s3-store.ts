import { createHash, randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Dispatcher } from 'undici'
import { writeByName } from '../../base/durable-files.ts'
import { printable } from '../../base/printable.ts'
import {
  type ObjectContent,
  type ObjectStore,
  ObjectStoreRefused,
  ObjectStoreUnavailable,
  type PutOptions,
  type StoredObject,
} from '../../domain/object-store/object-store.ts'
import { fullKey, type ObjectStoreUrl } from '../../domain/object-store/object-store-url.ts'
import { MultipartUpload, PART_BYTES } from './multipart-upload.ts'
import { isOwnPut, type PutTarget, putHeaders, readPart } from './put-target.ts'
import type { S3Client, S3Response } from './s3-client.ts'
import { permissionDenied } from './s3-failures.ts'
import { escapeXml, xmlElements, xmlText } from './s3-xml.ts'

/** A bucket of S3, or a prefix of one. */
export class S3Store implements ObjectStore {
  readonly url: string
  readonly #place: ObjectStoreUrl
  readonly #client: S3Client

  constructor(url: string, place: ObjectStoreUrl, client: S3Client) {
    this.url = url
    this.#place = place
    this.#client = client
  }

  async put(key: string, content: ObjectContent, { ifAbsent = false }: PutOptions = {}) {
    const target = { key: fullKey(this.#place, key), ifAbsent, putId: randomUUID() }
    if (content instanceof Uint8Array) return this.#putBytes(target, content)
    const file = await open(content.file)
    try {
      const { size } = await file.stat()
      if (size > PART_BYTES) return await new MultipartUpload(this.#client, target, file, size).run()
      return await this.#putBytes(target, await readPart(file, 0, size))
    } finally {
      await file.close()
    }
  }

  async checkPut(key: string): Promise<void> {
    try {
      await MultipartUpload.tryOut(this.#client, fullKey(this.#place, key))
    } catch (error) {
      // A store without multipart uploads: puts of small files may work.
      if (!(error instanceof ObjectStoreRefused && error.reason === 'other')) throw error
    }
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    const pieces = await this.read(key)
    return pieces && bytesOf(pieces)
  }

  async read(key: string): Promise<AsyncIterable<Uint8Array> | undefined> {
    const path = fullKey(this.#place, key)
    const response = await this.#client.open({ method: 'GET', key: path })
    return response.body && this.#pieces(path, response)
  }

  async download(key: string, file: string): Promise<boolean> {
    const pieces = await this.read(key)
    if (pieces === undefined) return false
    await writeByName(file, (path) => pipeline(Readable.from(pieces), createWriteStream(path)))
    return true
  }

  async *list(prefix: string): AsyncGenerator<StoredObject> {
    const start = fullKey(this.#place, '').length
    let page: string | undefined
    do {
      const { body = '' } = await this.#client.request({
        method: 'GET',
        query: {
          'list-type': '2',
          // Keys may have characters that XML cannot carry.
          'encoding-type': 'url',
          prefix: fullKey(this.#place, prefix),
          ...(page !== undefined && { 'continuation-token': page }),
        },
      })
      // Not all stores know this parameter.
      const isEncoded = xmlText(body, 'EncodingType') === 'url'
      for (const element of xmlElements(body, 'Contents'))
        yield {
          key: listedKey(xmlText(element, 'Key') ?? '', isEncoded).slice(start),
          bytes: Number(xmlText(element, 'Size')),
          etag: xmlText(element, 'ETag') ?? '',
        }
      page = xmlText(body, 'IsTruncated') === 'true' ? xmlText(body, 'NextContinuationToken') : undefined
    } while (page !== undefined)
  }

  async delete(keys: readonly string[]): Promise<void> {
    for (let i = 0; i < keys.length; i += MAX_DELETES) {
      const objects = keys
        .slice(i, i + MAX_DELETES)
        .map((key) => `<Object><Key>${escapeXml(fullKey(this.#place, key))}</Key></Object>`)
      const body = Buffer.from(`<Delete>${objects.join('')}<Quiet>true</Quiet></Delete>`)
      const headers = { 'content-md5': createHash('md5').update(body).digest('base64') }
      const response = await this.#client.request({ method: 'POST', query: { delete: '' }, headers, body })
      this.#checkDeleted(response.body ?? '')
    }
  }

  close(): Promise<void> {
    return this.#client.close()
  }

  async #putBytes({ key, ifAbsent, putId }: PutTarget, body: Uint8Array): Promise<'put' | 'exists'> {
    const headers = putHeaders({ putId, ifAbsent })
    const { status, isRepeated } = await this.#client.request({ method: 'PUT', key, headers, body })
    if (status !== 412) return 'put'
    return isRepeated && (await isOwnPut(this.#client, key, putId)) ? 'put' : 'exists'
  }

  /** The pieces of an object. A broken connection continues where it broke, in the same version of the object. */
  async *#pieces(
    key: string,
    first: S3Response<Dispatcher.ResponseData['body']>,
  ): AsyncGenerator<Uint8Array> {
    const etag = first.headers['etag']?.toString() ?? ''
    const bytes = Number(first.headers['content-length'] ?? Number.NaN)
    let offset = 0
    let { body } = first
    for (let attempts = 1; ; attempts++) {
      try {
        for await (const piece of body ?? []) {
          offset += piece.length
          attempts = 0
          yield piece
        }
        if (Number.isNaN(bytes) || offset === bytes) return
      } catch {
        // Continued below.
      }
      await this.#client.backOff(attempts, `the connection broke while ${key} was read`)
      const headers = { range: `bytes=${offset}-`, 'if-match': etag }
      const remainder = await this.#client.open({ method: 'GET', key, headers })
      if (remainder.status !== 206 || remainder.body === undefined)
        throw new ObjectStoreUnavailable(
          `${this.url}: ${key} was replaced or deleted while it was read. Try again`,
        )
      body = remainder.body
    }
  }

  #checkDeleted(xml: string): void {
    for (const error of xmlElements(xml, 'Error')) {
      const code = xmlText(error, 'Code') ?? ''
      const path = xmlText(error, 'Key') ?? ''
      if (code === 'AccessDenied') throw permissionDenied(code, { path, verb: 'deleted' }, this.url)
      if (code !== 'NoSuchKey')
        throw new ObjectStoreRefused(
          'other',
          `${this.url}: ${printable(path)} could not be deleted (${code})`,
        )
    }
  }
}

const MAX_DELETES = 1_000

async function bytesOf(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = []
  for await (const piece of pieces) all.push(piece)
  return Buffer.concat(all)
}

function listedKey(key: string, isEncoded: boolean): string {
  return isEncoded ? decodeURIComponent(key.replaceAll('+', '%20')) : key
}
