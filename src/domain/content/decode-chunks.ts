import { type CharsetDecoder, createDecoder } from './charset-label.ts'
import { bomLength, type DecodeOptions, detectCharset } from './decode-text.ts'
import { PRESCAN_BYTES, STANDARD_BYTES } from './prescan-charset.ts'

/** `decodeText` for a body in chunks; the charset is decided by its first 8 KB (HTML) or 1 KB, however they are cut. */
export function* decodeChunks(chunks: Iterable<Uint8Array>, options: DecodeOptions): Generator<string> {
  let head: Uint8Array = new Uint8Array()
  let decoder: CharsetDecoder | undefined
  for (const chunk of chunks) {
    if (decoder !== undefined) {
      yield decoder.decode(chunk, { stream: true })
      continue
    }
    head = head.length === 0 ? chunk : Buffer.concat([head, chunk])
    if (head.length < headBytes(options)) continue
    const started = start(head, options)
    decoder = started.decoder
    yield started.text
  }
  if (decoder === undefined) {
    const started = start(head, options)
    decoder = started.decoder
    yield started.text
  }
  yield decoder.decode()
}

function start(head: Uint8Array, options: DecodeOptions): { decoder: CharsetDecoder; text: string } {
  const { charset, charsetSource } = detectCharset(head.subarray(0, headBytes(options)), options)
  const decoder = createDecoder(charset)
  const body = charsetSource === 'bom' ? head.subarray(bomLength(charset)) : head
  return { decoder, text: decoder.decode(body, { stream: true }) }
}

/** What may hold a declaration is kept until it is whole; the rest is decoded as it comes. */
function headBytes({ syntax }: DecodeOptions): number {
  return syntax === 'html' ? PRESCAN_BYTES : STANDARD_BYTES
}
