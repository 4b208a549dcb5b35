import { decodeText } from '../decode-text.ts'
import { type XmlHandler, XmlTokenizer, xmlAttribute } from '../xml-tokenizer.ts'
import type { ZipArchive } from './zip-archive.ts'

/** Receives the parts of an XML file by local names: `t` for `w:t`. */
export interface PackageXmlHandler {
  open?(name: string, attribute: (name: string) => string | undefined): void
  close?(name: string): void
  text?(text: string): void
}

/** Decoded at a time, so that a large part never is one string. */
const CHUNK_BYTES = 1024 * 1024

/**
 * Reads an XML file of a zip archive. Entities that the file declares are not expanded, and the depth of elements does not matter.
 * @returns whether the file exists
 */
export function readPackageXml(archive: ZipArchive, path: string, handler: PackageXmlHandler): boolean {
  const bytes = archive.read(path)
  if (bytes === undefined) return false
  const tokenizer = new XmlTokenizer(localNames(handler), { maxTokenChars: CHUNK_BYTES })
  if (isUtf8Start(bytes)) {
    const decoder = new TextDecoder('utf-8')
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES)
      tokenizer.push(decoder.decode(bytes.subarray(at, at + CHUNK_BYTES), { stream: true }))
    tokenizer.push(decoder.decode())
  } else tokenizer.push(decodeText(bytes, { syntax: 'xml', headerCharset: undefined }).text)
  tokenizer.end()
  return true
}

/** Nearly all are; the others name their charset, or start with a byte order mark. */
function isUtf8Start(bytes: Buffer): boolean {
  const [first = 0, second = 0] = bytes
  if (first >= 0xfe || first === 0 || second === 0) return false
  const declared = /encoding\s*=\s*["']([\w-]+)/i.exec(bytes.toString('latin1', 0, 200))?.[1]
  return declared === undefined || /^utf-?8$/i.test(declared)
}

function localNames(handler: PackageXmlHandler): XmlHandler {
  return {
    open: (name, attributes) => handler.open?.(localName(name), (wanted) => xmlAttribute(attributes, wanted)),
    close: (name) => handler.close?.(localName(name)),
    text: (text) => handler.text?.(text),
  }
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}
