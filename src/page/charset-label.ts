import { TextDecoder } from 'node:util'

const decoders = new Map<string, TextDecoder>()
const labels = new Map<string, string | undefined>()

/** Pages can invent labels of any length and number: none that exists is longer, and so many are remembered. */
const MAX_LABEL_CHARS = 40
const MAX_LABELS = 1_000

/** The WHATWG name of the charset that `label` stands for (`latin1` is `windows-1252`), or `undefined` for none. */
export function charsetForLabel(label: string): string | undefined {
  const key = label.trim().toLowerCase()
  if (key.length > MAX_LABEL_CHARS) return undefined
  if (labels.has(key)) return labels.get(key)
  let charset: string | undefined
  try {
    charset = new TextDecoder(key).encoding
  } catch {
    // Not a charset, or one that is unsafe to decode (utf-7, iso-2022-kr, hz-gb-2312).
  }
  if (labels.size < MAX_LABELS) labels.set(key, charset)
  return charset
}

/** The decoder for a name that `charsetForLabel` returned. Shared: use it without `stream`. */
export function decoderFor(charset: string): TextDecoder {
  let decoder = decoders.get(charset)
  if (decoder === undefined) {
    // The caller has taken the byte order mark off; one that comes after it is text.
    decoder = new TextDecoder(charset, { ignoreBOM: true })
    decoders.set(charset, decoder)
  }
  return decoder
}
