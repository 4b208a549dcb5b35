import { TextDecoder as NodeTextDecoder } from 'node:util'
import { requireLate } from '../../base/require-late.ts'

/** A decoder of one charset, as the WHATWG Encoding standard defines it. */
export interface CharsetDecoder {
  readonly encoding: string
  decode(bytes?: Uint8Array, options?: { readonly stream?: boolean }): string
}

export interface CharsetDecoderOptions {
  /** Throw on bytes without a meaning, instead of decoding them to U+FFFD. @default false */
  readonly fatal?: boolean
}

const decoders = new Map<string, CharsetDecoder>()
const labels = new Map<string, string | undefined>()

/** A page can invent labels of any length and number. No real label is longer, and no more than this are cached. */
const MAX_LABEL_CHARS = 40
const MAX_LABELS = 1_000

/** Their decoders in Node.js equal the standard; `charset-label.test.ts` compares them. */
const DECODED_BY_NODE: ReadonlySet<string> = new Set(['utf-8', 'utf-16le', 'utf-16be'])

/** The WHATWG name of the charset that `label` stands for (`latin1` is `windows-1252`), or `undefined` for none. */
export function charsetForLabel(label: string): string | undefined {
  const key = label.trim().toLowerCase()
  if (DECODED_BY_NODE.has(key)) return key
  if (key.length > MAX_LABEL_CHARS) return undefined
  if (labels.has(key)) return labels.get(key)
  const name = legacyEncodings().normalizeEncoding(key) ?? undefined
  // The standard maps charsets that are unsafe to decode (iso-2022-kr, hz-gb-2312) to `replacement`.
  const charset = name === 'replacement' ? undefined : name
  if (labels.size < MAX_LABELS) labels.set(key, charset)
  return charset
}

/** The decoder for a name that `charsetForLabel` returned. Shared: use it without `stream`. */
export function decoderFor(charset: string): CharsetDecoder {
  let decoder = decoders.get(charset)
  if (decoder === undefined) {
    decoder = createDecoder(charset)
    decoders.set(charset, decoder)
  }
  return decoder
}

/**
 * A new decoder for a name that `charsetForLabel` returned. It does not remove a byte order mark: the caller has removed
 * the first one, and a second one is text.
 */
export function createDecoder(
  charset: string,
  { fatal = false }: CharsetDecoderOptions = {},
): CharsetDecoder {
  const Decoder = DECODED_BY_NODE.has(charset) ? NodeTextDecoder : legacyEncodings().TextDecoder
  return new Decoder(charset, { fatal, ignoreBOM: true })
}

type LegacyEncodings = typeof import('@exodus/bytes/encoding.js')
let loaded: LegacyEncodings | undefined

/**
 * The decoders of all charsets but the Unicode ones. Those of Node.js are ICU's in part, not the standard's: EUC-KR lacks
 * the 8,822 syllables of UHC, Big5 lacks HKSCS, and which charsets are wrong depends on the version of Node.js.
 * Loading takes about 20 ms, so it waits for the first page in a legacy charset.
 */
function legacyEncodings(): LegacyEncodings {
  loaded ??= requireLate<LegacyEncodings>('@exodus/bytes/encoding.js')
  return loaded
}
