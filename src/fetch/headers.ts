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
