/** A Content-Type value, taken apart. */
export interface ContentType {
  /** `type/subtype` in lower case. */
  readonly type: string
  /** The first usable `charset` parameter, as written; not yet known to be a real charset. */
  readonly charset?: string
}

const TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+$/

/**
 * Reads a Content-Type value as servers really send it: `text/html;;charset==x`, `text/html, text/html`, quotes left
 * open. A part that makes no sense is passed over, never the whole. `undefined` when not even a type is there.
 */
export function parseContentType(value: string): ContentType | undefined {
  // A field that was sent twice arrives joined by a comma. As in browsers the last one that names a type counts.
  let found: ContentType | undefined
  for (const field of splitOutsideQuotes(value, ',')) {
    const [first = '', ...parameters] = splitOutsideQuotes(field, ';')
    const type = first.trim().toLowerCase()
    if (!TYPE.test(type)) continue
    const charset = charsetOf(parameters) ?? (found?.type === type ? found.charset : undefined)
    found = charset === undefined ? { type } : { type, charset }
  }
  return found
}

function charsetOf(parameters: readonly string[]): string | undefined {
  for (const parameter of parameters) {
    const equals = parameter.indexOf('=')
    if (equals < 0 || parameter.slice(0, equals).trim().toLowerCase() !== 'charset') continue
    const charset = parameter
      .slice(equals + 1)
      .replace(/^[\s='"]+/, '')
      .replace(/["'].*$/s, '')
      .trimEnd()
    if (charset !== '') return charset
  }
  return undefined
}

function splitOutsideQuotes(value: string, separator: ',' | ';'): string[] {
  const parts: string[] = []
  let start = 0
  let quoted = false
  for (let i = 0; i < value.length; i++) {
    const char = value[i]
    if (char === '"') quoted = !quoted
    else if (char === separator && !quoted) {
      parts.push(value.slice(start, i))
      start = i + 1
    }
  }
  parts.push(value.slice(start))
  return parts
}
