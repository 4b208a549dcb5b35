import { isUtf8 } from 'node:buffer'
import type { Dispatcher } from 'undici'
import type { HeaderList } from '../fetch/headers.ts'

type RawHeaders = Dispatcher.DispatchController['rawHeaders']

/** The header fields of an answer as undici gives them: alternating buffers over HTTP/1, an object over HTTP/2. */
export function headerList(raw: RawHeaders): HeaderList {
  const list: Array<readonly [string, string]> = []
  if (Array.isArray(raw)) {
    for (let i = 0; i + 1 < raw.length; i += 2) {
      const name = latin1(raw[i] ?? '').toLowerCase()
      list.push([name, fieldValue(name, raw[i + 1] ?? '')])
    }
  } else if (raw) {
    for (const [name, value] of Object.entries(raw))
      for (const one of Array.isArray(value) ? value : [value ?? '']) list.push([name, fieldValue(name, one)])
  }
  return list
}

/**
 * A field value is ASCII by the book; UTF-8 where it reads as such, Latin-1 where it does not. But a Location that is neither
 * means its bytes, as browsers take it: each is percent-encoded.
 */
function fieldValue(name: string, raw: Buffer | string): string {
  const text = latin1(raw)
  if (!/[\x80-\xff]/.test(text)) return text
  const bytes = Buffer.from(text, 'latin1')
  if (isUtf8(bytes)) return bytes.toString('utf8')
  if (name !== 'location') return text
  return text.replace(/[\x80-\xff]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
}

function latin1(raw: Buffer | string): string {
  return typeof raw === 'string' ? raw : raw.toString('latin1')
}
