import { crc32, deflateRawSync } from 'node:zlib'

export interface SmallZipOptions {
  /** General purpose flags of every entry; 1: encrypted. @default 0 */
  readonly flags?: number
  /** @default 8, deflate */
  readonly method?: number
}

/** A zip file with these entries, in order. */
export function smallZip(
  entries: Readonly<Record<string, string | Uint8Array>>,
  { flags = 0, method = 8 }: SmallZipOptions = {},
): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const [name, content] of Object.entries(entries)) {
    const bytes = Buffer.from(content)
    const data = method === 8 ? deflateRawSync(bytes) : bytes
    const path = Buffer.from(name)
    const header = Buffer.alloc(26)
    header.writeUInt16LE(20, 0)
    header.writeUInt16LE(flags, 2)
    header.writeUInt16LE(method, 4)
    header.writeUInt32LE(crc32(bytes), 10)
    header.writeUInt32LE(data.length, 14)
    header.writeUInt32LE(bytes.length, 18)
    header.writeUInt16LE(path.length, 22)
    const place = Buffer.alloc(14)
    place.writeUInt32LE(at, 10)
    directory.push(Buffer.from('PK\x01\x02\x14\0', 'latin1'), header, place, path)
    parts.push(Buffer.from('PK\x03\x04', 'latin1'), header, path, data)
    at += 30 + path.length + data.length
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  const count = Object.keys(entries).length
  end.writeUInt16LE(Math.min(count, 0xffff), 8)
  end.writeUInt16LE(Math.min(count, 0xffff), 10)
  end.writeUInt32LE(listed.length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...parts, listed, end])
}
