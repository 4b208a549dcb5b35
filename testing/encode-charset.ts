import { createDecoder } from '../src/domain/content/charset-label.ts'

/** Text in a legacy charset of one or two bytes per character: the inverse of its decoder. Other characters become `?`. */
export function encodeCharset(text: string, charset: string): Uint8Array {
  const decoder = createDecoder(charset)
  const codes = new Map<string, number[]>()
  for (let lead = 0x81; lead < 0xff; lead++) {
    for (let trail = 0x40; trail < 0xff; trail++) {
      const char = decoder.decode(Uint8Array.of(lead, trail))
      if (char.length === 1 && char !== '\ufffd' && !codes.has(char)) codes.set(char, [lead, trail])
    }
  }
  for (let byte = 0; byte < 256; byte++) codes.set(decoder.decode(Uint8Array.of(byte)), [byte])
  return Uint8Array.from([...text].flatMap((char) => codes.get(char) ?? [0x3f]))
}
