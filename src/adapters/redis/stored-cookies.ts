import { type Cookie, readCookie } from '../../domain/fetch/cookie.ts'
import { parseJson } from './stored-request.ts'

/** The newest cookies of a host as text, as many as are stored; '' for none. @param cookies oldest first */
export function cookieText(cookies: readonly Cookie[]): string {
  const texts: string[] = []
  let bytes = 2
  for (const cookie of cookies.slice(-MAX_COOKIES).reverse()) {
    const text = JSON.stringify(cookie)
    bytes += Buffer.byteLength(text) + 1
    if (bytes > MAX_BYTES) break
    texts.push(text)
  }
  return texts.length === 0 ? '' : `[${texts.reverse().join(',')}]`
}

/**
 * The stored cookies of a host, oldest first. Any program may have written them: others than those that can be sent are left out.
 * @param text '' if none are stored
 */
export function readCookies(text: string): Cookie[] {
  if (text.length > MAX_BYTES) return []
  const value = text === '' ? [] : parseJson(text)
  if (!Array.isArray(value)) return []
  return value.slice(-MAX_COOKIES).flatMap((stored) => readCookie(stored) ?? [])
}

/** Of one host. A request sends 8 kB of cookies at most. */
const MAX_COOKIES = 50
const MAX_BYTES = 16_384
