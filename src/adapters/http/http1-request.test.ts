import { describe, expect, it } from 'vitest'
import { ConfigurationError } from '../../base/crawl-error.ts'
import type { OutgoingRequest } from './http-client.ts'
import { leavesConnectionFit, requestHead } from './http1-request.ts'

function request(parts: Partial<OutgoingRequest> = {}): OutgoingRequest {
  return { method: 'GET', path: '/a?b', headers: ['x-a', '1'], body: null, ...parts }
}

describe('the head of a request', () => {
  it('has the request line, the host, the connection and the headers', () => {
    expect(requestHead('a.test:8080', request(), 0)).toBe(
      'GET /a?b HTTP/1.1\r\nhost: a.test:8080\r\nconnection: keep-alive\r\nx-a: 1\r\n\r\n',
    )
  })

  it('names the length of a body, and that of none where servers expect one', () => {
    expect(requestHead('a.test', request({ method: 'PUT', body: 'hi' }), 2)).toMatch(
      /\r\ncontent-length: 2\r\n\r\n$/,
    )
    expect(requestHead('a.test', request({ method: 'POST' }), 0)).toMatch(/\r\ncontent-length: 0\r\n\r\n$/)
    expect(requestHead('a.test', request({ method: 'DELETE' }), 0)).not.toContain('content-length')
  })

  it('names a length once, also when the caller did', () => {
    const head = requestHead('a.test', request({ method: 'POST', headers: ['content-length', '2'] }), 2)
    expect(head.match(/content-length/g)).toHaveLength(1)
  })

  it.each<Partial<OutgoingRequest>>([
    { method: 'GET /' },
    { method: 'G\r\nET' },
    { method: '' },
    { path: '/a b' },
    { path: '/a\r\nx: y' },
    { path: '/\u0100' },
    { headers: ['x\r\ny', '1'] },
    { headers: ['x y', '1'] },
    { headers: ['', '1'] },
    { headers: ['x', '1\r\ny: 2'] },
    { headers: ['x', '1\n'] },
    { headers: ['x', '\0'] },
    { headers: ['x', '\u010a'] },
    { headers: ['content-length', '5'] },
  ])('cannot be made with %j', (parts) => {
    expect(() => requestHead('a.test', request(parts), 0)).toThrow(ConfigurationError)
  })
})

it.each([
  ['GET', null, true],
  ['GET', '', true],
  ['POST', 'hi', true],
  ['GET', 'hi', false],
  ['HEAD', null, false],
] as const)('leaves the connection fit for another after %s with the body %j: %j', (method, body, fit) => {
  expect(leavesConnectionFit(request({ method, body }))).toBe(fit)
  expect(requestHead('a.test', request({ method, body }), body?.length ?? 0)).toContain(
    `connection: ${fit ? 'keep-alive' : 'close'}`,
  )
})
