const REFERENCE = /&(?:#(\d{1,8})|#x([\da-f]{1,8})|(amp|lt|gt|quot|apos));/gi
const NAMED: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
])

/** Undoes the five entities of XML and numeric references, once; every other `&…;` stays as it is. */
export function decodeXmlText(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(REFERENCE, (_, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return NAMED.get(name.toLowerCase()) ?? ''
    return characterOf(decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal))
  })
}

/** The value of the attribute `name` (lower case) in what `XmlHandler.open` was given, decoded. */
export function xmlAttribute(attributes: string, name: string): string | undefined {
  let at = 0
  while (at < attributes.length) {
    at = skip(attributes, at, (char) => char <= ' ' || char === '/')
    const nameEnd = skip(attributes, at, (char) => char > ' ' && char !== '=')
    const found = attributes.slice(at, nameEnd).toLowerCase() === name
    const equals = skip(attributes, nameEnd, (char) => char <= ' ')
    if (attributes.charAt(equals) !== '=') {
      at = equals
      continue
    }
    const start = skip(attributes, equals + 1, (char) => char <= ' ')
    const quote = attributes.charAt(start)
    const quoted = quote === '"' || quote === "'"
    const end = quoted
      ? skip(attributes, start + 1, (char) => char !== quote)
      : skip(attributes, start, (char) => char > ' ')
    if (found) return decodeXmlText(attributes.slice(quoted ? start + 1 : start, end))
    at = quoted ? end + 1 : end
  }
  return undefined
}

function skip(text: string, from: number, while_: (char: string) => boolean): number {
  let at = from
  while (at < text.length && while_(text.charAt(at))) at++
  return at
}

/** What cannot be a character (zero, surrogates, beyond Unicode) becomes U+FFFD. */
function characterOf(code: number): string {
  const valid = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
  return valid ? String.fromCodePoint(code) : '\ufffd'
}
