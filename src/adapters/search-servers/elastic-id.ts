import { hash } from 'node:crypto'

/**
 * The `_id` of a document: its id, or for an id of more than 512 bytes, which is the engines' limit, a hash of it. No URL begins like the
 * hash does.
 */
export function elasticId(id: string): string {
  return Buffer.byteLength(id) <= MAX_ID_BYTES ? id : `sha256:${hash('sha256', id)}`
}

const MAX_ID_BYTES = 512
