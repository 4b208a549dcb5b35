/** Header fields as received: names in lower case, in order, repeated ones repeated. */
export type HeaderList = ReadonlyArray<readonly [name: string, value: string]>

/** The first value of `name` (lower case), or `undefined`. */
export function header(headers: HeaderList, name: string): string | undefined {
  for (const [key, value] of headers) if (key === name) return value
  return undefined
}

/** Every value of `name` (lower case), in order. */
export function headerValues(headers: HeaderList, name: string): string[] {
  const values: string[] = []
  for (const [key, value] of headers) if (key === name) values.push(value)
  return values
}

const NAME = /^[a-z0-9!#$%&'*+.^_`|~-]+$/
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
/** They belong to the connection, which is not the caller's. */
const RESERVED = new Set([
  ...['host', 'connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'expect', 'te'],
  ...['proxy-authorization'],
])

/** Whether a header can have this value: one character for each byte, no line end, which would begin a header of its own. */
export function isHeaderValue(value: string): boolean {
  return VALUE.test(value)
}

/** Why a request cannot send this header, for people; `undefined`: it can. @param name lower case */
export function headerFault(name: string, value: string): string | undefined {
  if (!NAME.test(name)) return `header ${JSON.stringify(name)}: not a header name`
  if (RESERVED.has(name)) return `header ${name}: belongs to the connection and cannot be set`
  return isHeaderValue(value) ? undefined : `header ${name}: its value has characters that no header can have`
}

/** Whether it is a method in upper case: a token of RFC 9110. */
export function isMethod(method: string): boolean {
  return METHOD.test(method)
}

const METHOD = /^[A-Z0-9!#$%&'*+.^_`|~-]+$/
