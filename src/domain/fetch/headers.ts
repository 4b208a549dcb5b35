/** Header fields in the order received, names in lower case, including repeated fields. */
export type HeaderList = ReadonlyArray<readonly [name: string, value: string]>

/**
 * The first value of `name` (lower case), or `undefined`.
 * @example
 * const headers: HeaderList = [['content-type', 'text/html']]
 * header(headers, 'content-type') // → 'text/html'
 */
export function header(headers: HeaderList, name: string): string | undefined {
  for (const [key, value] of headers) if (key === name) return value
  return undefined
}

/**
 * Every value of `name` (lower case), in order.
 * @example
 * const headers: HeaderList = [['set-cookie', 'a=1'], ['set-cookie', 'b=2']]
 * headerValues(headers, 'set-cookie') // → ['a=1', 'b=2']
 */
export function headerValues(headers: HeaderList, name: string): string[] {
  const values: string[] = []
  for (const [key, value] of headers) if (key === name) values.push(value)
  return values
}

const NAME = /^[a-z0-9!#$%&'*+.^_`|~-]+$/
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
/** The HTTP client sets these headers itself. */
const RESERVED = new Set([
  ...['host', 'connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'expect', 'te'],
  ...['proxy-authorization'],
])

/** Whether a header can have this value: one character for each byte and no line break, which would start another header. */
export function isHeaderValue(value: string): boolean {
  return VALUE.test(value)
}

/** The reason why a header cannot be sent; `undefined` if it can. @param name in lower case */
export function headerFault(name: string, value: string): string | undefined {
  if (!NAME.test(name)) return `header ${JSON.stringify(name)}: not a header name`
  if (RESERVED.has(name)) return `header ${name}: belongs to the connection and cannot be set`
  return isHeaderValue(value) ? undefined : `header ${name}: its value has characters that no header can have`
}

/** Whether it is a method name (a token of RFC 9110) in upper case. */
export function isMethod(method: string): boolean {
  return METHOD.test(method)
}

const METHOD = /^[A-Z0-9!#$%&'*+.^_`|~-]+$/
