/**
 * Gives memory back at once that is the caller's own and that nobody will look at again. Bodies of pages lie outside of V8's heap: left to the
 * garbage collection, hundreds of megabytes of dead ones gather before it comes. The memory of a view that shares it with others, as
 * small Buffers do, stays as it is.
 */
export function releaseBytes(bytes: Uint8Array): void {
  const { buffer, length } = bytes
  if (length > 0 && length === buffer.byteLength && buffer instanceof ArrayBuffer) buffer.transfer(0)
}
