import { isMarkedAsUntransferable } from 'node:worker_threads'

/**
 * Frees the memory of `bytes` immediately. The caller owns them and no longer uses them. Bodies of pages are outside the heap of V8; without this, hundreds
 * of megabytes accumulate before a garbage collection. Memory that is shared with other views, such as that of small Buffers, is not freed.
 */
export function releaseBytes(bytes: Uint8Array): void {
  const { buffer, length } = bytes
  if (length === 0 || length !== buffer.byteLength || !(buffer instanceof ArrayBuffer)) return
  // The pool of small Buffers, whose size differs between versions of Node.js.
  if (!isMarkedAsUntransferable(buffer)) buffer.transfer(0)
}
