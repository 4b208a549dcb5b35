/** A file format that shows in its first bytes. */
interface Magic {
  readonly type: string
  /** One character per byte; `?` is any byte. */
  readonly pattern: string
  /** @default 0 */
  readonly offset?: number
  /** The format may be all printable. @default false */
  readonly isText?: boolean
}

/** Longer and surer patterns first. Text formats are not here: they have no magic, only habits. */
const MAGIC: readonly Magic[] = [
  { type: 'application/pdf', pattern: '%PDF-', isText: true },
  { type: 'application/postscript', pattern: '%!PS-Adobe-', isText: true },
  { type: 'application/rtf', pattern: '{\\rtf', isText: true },
  { type: 'image/png', pattern: '\x89PNG\r\n\x1a\n' },
  { type: 'image/gif', pattern: 'GIF87a' },
  { type: 'image/gif', pattern: 'GIF89a' },
  { type: 'image/jpeg', pattern: '\xff\xd8\xff' },
  { type: 'image/webp', pattern: 'RIFF????WEBPVP' },
  { type: 'image/avif', pattern: 'ftypavif', offset: 4 },
  { type: 'image/tiff', pattern: 'II*\0' },
  { type: 'image/tiff', pattern: 'MM\0*' },
  { type: 'image/x-icon', pattern: '\0\0\x01\0' },
  { type: 'audio/wave', pattern: 'RIFF????WAVE' },
  { type: 'video/avi', pattern: 'RIFF????AVI ' },
  { type: 'audio/aiff', pattern: 'FORM????AIFF' },
  { type: 'audio/basic', pattern: '.snd' },
  { type: 'audio/midi', pattern: 'MThd\0\0\0\x06' },
  { type: 'audio/mpeg', pattern: 'ID3' },
  { type: 'audio/flac', pattern: 'fLaC' },
  { type: 'application/ogg', pattern: 'OggS\0' },
  { type: 'video/mp4', pattern: 'ftyp', offset: 4 },
  { type: 'video/webm', pattern: '\x1aE\xdf\xa3' },
  { type: 'application/gzip', pattern: '\x1f\x8b\x08' },
  { type: 'application/zip', pattern: 'PK\x03\x04' },
  { type: 'application/x-rar-compressed', pattern: 'Rar!\x1a\x07' },
  { type: 'application/x-7z-compressed', pattern: '7z\xbc\xaf\x27\x1c' },
  { type: 'application/x-bzip2', pattern: 'BZh?1AY&SY' },
  { type: 'application/x-xz', pattern: '\xfd7zXZ\0' },
  { type: 'application/zstd', pattern: '\x28\xb5\x2f\xfd' },
  { type: 'application/x-msdownload', pattern: 'MZ??????????\xff\xff' },
  { type: 'application/x-elf', pattern: '\x7fELF' },
  { type: 'application/wasm', pattern: '\0asm' },
  { type: 'application/x-ole-storage', pattern: '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1' },
  { type: 'font/woff', pattern: 'wOFF' },
  { type: 'font/woff2', pattern: 'wOF2' },
]

/** The binary format that `bytes` begin as, or `undefined`. */
export function typeByMagic(bytes: Uint8Array): string | undefined {
  const found = MAGIC.find((magic) => matches(bytes, magic))
  // A sentence may begin with `ID3` or `GIF89a`; a file of that format has bytes that no sentence has.
  return found !== undefined && (found.isText || looksBinary(bytes)) ? found.type : undefined
}

/** Whether the first bytes hold one that no text has (WHATWG's "binary data byte"). */
export function looksBinary(bytes: Uint8Array): boolean {
  const length = Math.min(bytes.length, 1445)
  for (let i = 0; i < length; i++) {
    const byte = bytes[i] ?? 0
    if (byte < 0x20 && (byte <= 0x08 || byte === 0x0b || (byte >= 0x0e && byte !== 0x1b))) return true
  }
  return false
}

function matches(bytes: Uint8Array, { pattern, offset = 0 }: Magic): boolean {
  if (bytes.length < offset + pattern.length) return false
  for (let i = 0; i < pattern.length; i++) {
    const wanted = pattern.charCodeAt(i)
    if (wanted !== 0x3f && bytes[offset + i] !== wanted) return false
  }
  return true
}
