import type { FileHandle } from 'node:fs/promises'
import type { S3Client } from './s3-client.ts'

export interface PutTarget {
  /** In the bucket. */
  readonly key: string
  readonly ifAbsent: boolean
  /** Stored with the object: tells whether an object is the one of this put, if its response was lost. */
  readonly putId: string
}

const PUT_ID = 'x-amz-meta-orbweaver-put'

export function putHeaders({ putId, ifAbsent }: Partial<PutTarget>): Record<string, string> {
  return { ...(putId !== undefined && { [PUT_ID]: putId }), ...(ifAbsent && { 'if-none-match': '*' }) }
}

/** Whether the object was written by the put with this id. */
export async function isOwnPut(client: S3Client, key: string, putId: string): Promise<boolean> {
  const { headers } = await client.request({ method: 'HEAD', key })
  return headers[PUT_ID] === putId
}

/** Bytes of a file. @throws if the file has become shorter */
export async function readPart(file: FileHandle, start: number, length: number): Promise<Uint8Array> {
  const bytes = Buffer.allocUnsafe(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, start + filled)
    if (bytesRead === 0) throw new Error('a file became shorter while it was put into the object store')
    filled += bytesRead
  }
  return bytes
}
