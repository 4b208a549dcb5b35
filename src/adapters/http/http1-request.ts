import { ConfigurationError } from '../../base/crawl-error.ts'
import { isHeaderValue } from '../../domain/fetch/headers.ts'
import type { OutgoingRequest } from './http-client.ts'

/** Servers expect these to have a body, and may wait for one whose length they are not told. */
const WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'QUERY', 'PROPFIND', 'PROPPATCH'])

/**
 * Whether a connection may serve another request after this one. Not after HEAD, to which some servers respond with a body all the same, nor after a
 * body where servers expect none and may not read it.
 */
export function leavesConnectionFit({ method, body }: OutgoingRequest): boolean {
  return method !== 'HEAD' && (body === null || body.length === 0 || WITH_BODY.has(method))
}

/**
 * The head of a request as it stands on the wire: one character for each byte. Throws a `ConfigurationError` for what cannot be said in a head; a
 * line end would begin a header of its own.
 *
 * @param host As the Host header has it.
 * @param bodyBytes How long the body is.
 */
export function requestHead(host: string, request: OutgoingRequest, bodyBytes: number): string {
  const { method, path, headers } = request
  if (!TOKEN.test(method))
    throw new ConfigurationError('REQUEST_INVALID', `method ${JSON.stringify(method)}: not a method of HTTP`)
  if (NOT_IN_PATH.test(path))
    throw new ConfigurationError('REQUEST_INVALID', `path ${JSON.stringify(path)}: not one of a URL`)
  let head = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: ${leavesConnectionFit(request) ? 'keep-alive' : 'close'}\r\n`
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = headers[i] ?? ''
    const value = headers[i + 1] ?? ''
    if (!TOKEN.test(name) || !isHeaderValue(value))
      throw new ConfigurationError('REQUEST_INVALID', `header ${JSON.stringify(name)}: it cannot be sent`)
    if (name !== 'content-length') head += `${name}: ${value}\r\n`
    else if (Number(value) !== bodyBytes)
      throw new ConfigurationError(
        'REQUEST_INVALID',
        `header content-length: ${value}, but the body has ${bodyBytes} bytes`,
      )
  }
  return bodyBytes > 0 || WITH_BODY.has(method)
    ? `${head}content-length: ${bodyBytes}\r\n\r\n`
    : `${head}\r\n`
}

const TOKEN = /^[a-z0-9!#$%&'*+.^_`|~-]+$/i
const NOT_IN_PATH = /[^\x21-\x7e\x80-\xff]/
