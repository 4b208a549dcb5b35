import { describe, expect, it } from 'vitest'
import { readRequest, requestArguments } from './stored-request.ts'

const whole = {
  url: 'http://a.test/',
  method: 'POST',
  headers: { accept: '*/*' },
  body: 'x',
  base64: true,
  handler: 'parse',
  meta: { list: [1, null] },
  priority: -1.5,
  dontFilter: true,
  notBefore: 1,
  depth: 2,
  from: 'http://a.test/1',
  redirectedFrom: ['http://a.test/0'],
}

describe('readRequest', () => {
  it('reads what was stored', () => {
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
  it('gives no fingerprint to what is not to be filtered, and a signed number of 64 bits to all else', () => {
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
