import { describe, expect, it } from 'vitest'
import { STORED_REQUEST as whole } from '../../../testing/stored-request-example.ts'
import { readRequest, requestArguments } from './stored-request.ts'

describe('readRequest', () => {
  it('reads a stored request', () => {
    expect(readRequest(JSON.stringify(whole))).toEqual(whole)
    expect(readRequest('{"url":"https://a.test/","handler":"p","depth":0}')).toMatchObject({ depth: 0 })
  })

  it.each([
    ['url', 'javascript:alert(1)'],
    ['url', '/relative'],
    ['url', undefined],
    ['method', 'GET /'],
    ['headers', { accept: 1 }],
    ['headers', []],
    ['headers', { host: 'evil.test' }],
    ['headers', { Accept: '*/*' }],
    ['headers', { accept: 'a\r\nhost: evil.test' }],
    ['body', 1],
    ['handler', null],
    ['handler', ''],
    ['meta', [1]],
    ['priority', '1'],
    ['notBefore', null],
    ['depth', undefined],
    ['depth', -1],
    ['depth', 1e300],
    ['from', 'somewhere'],
    ['redirectedFrom', [1]],
  ])('refuses a request whose %s is %j', (name, value) => {
    expect(readRequest(JSON.stringify({ ...whole, [name]: value }))).toBeUndefined()
  })

  it('reads every method that a spider may use', () => {
    expect(readRequest(JSON.stringify({ ...whole, method: 'M-SEARCH' }))).toMatchObject({
      method: 'M-SEARCH',
    })
  })
})

describe('requestArguments', () => {
  it('have no fingerprint with dontFilter, and otherwise a signed number of 64 bits', () => {
    expect(requestArguments({ ...whole, dontFilter: true }, 'a.test')[0]).toBe('')
    const [fingerprint = ''] = requestArguments({ ...whole, dontFilter: false }, 'a.test')
    expect(BigInt.asIntN(64, BigInt(fingerprint))).toBe(BigInt(fingerprint))
  })

  it('throws for a number that is not finite: a script would stop half way', () => {
    expect(() => requestArguments({ ...whole, priority: Number.NaN }, 'a.test')).toThrow(RangeError)
    expect(() => requestArguments({ ...whole, notBefore: Number.NaN }, 'a.test')).toThrow(RangeError)
    // JSON would make null of it, and no worker could read the request.
    expect(() => requestArguments({ ...whole, priority: Number.POSITIVE_INFINITY }, 'a.test')).toThrow(
      RangeError,
    )
  })
})
