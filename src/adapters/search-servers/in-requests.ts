/** A change as it is sent. */
export interface Part {
  readonly id: string
  readonly text: string
}

export interface RequestSize {
  readonly maxParts: number
  /** Of UTF-8. A part that is larger goes alone. @default 10 MiB, which servers and what stands before them usually take */
  readonly maxBytes?: number | undefined
}

/** Deals parts out to requests of a bounded size, in their order. */
export function* inRequests(
  parts: Iterable<Part>,
  { maxParts, maxBytes = 10 * 1024 * 1024 }: RequestSize,
): Generator<Part[]> {
  let request: Part[] = []
  let bytes = 0
  for (const part of parts) {
    const partBytes = Buffer.byteLength(part.text)
    if (request.length > 0 && (request.length === maxParts || bytes + partBytes > maxBytes)) {
      yield request
      request = []
      bytes = 0
    }
    request.push(part)
    bytes += partBytes
  }
  if (request.length > 0) yield request
}
