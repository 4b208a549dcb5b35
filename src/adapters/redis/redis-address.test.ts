import { describe, expect, it } from 'vitest'
import { parseRedisAddress } from './redis-address.ts'

describe('parseRedisAddress', () => {
  it.each([
    [
      'redis://localhost',
      { kind: 'single', nodes: [{ host: 'localhost', port: 6379 }], database: 0, secure: false },
    ],
    ['redis://10.0.0.1:7000/3', { kind: 'single', nodes: [{ host: '10.0.0.1', port: 7000 }], database: 3 }],
    [
      'rediss://me:p%40ss:word@[::1]:1/',
      { nodes: [{ host: '::1', port: 1 }], user: 'me', password: 'p@ss:word', secure: true },
    ],
    ['redis://:secret@r/0', { password: 'secret' }],
    [
      'queue.test:7000',
      { kind: 'single', nodes: [{ host: 'queue.test', port: 7000 }], database: 0, secure: false },
    ],
    ['[::1]:7000/2', { nodes: [{ host: '::1', port: 7000 }], database: 2 }],
    [
      'redis+cluster://a:1,b:2,c',
      {
        kind: 'cluster',
        nodes: [
          { host: 'a', port: 1 },
          { host: 'b', port: 2 },
          { host: 'c', port: 6379 },
        ],
      },
    ],
    [
      'rediss+sentinel://u:p@s1,s2:5/main/2',
      {
        kind: 'sentinel',
        nodes: [
          { host: 's1', port: 26_379 },
          { host: 's2', port: 5 },
        ],
        master: 'main',
        database: 2,
        secure: true,
        user: 'u',
      },
    ],
  ])('reads %s', (text, expected) => {
    expect(parseRedisAddress(text)).toMatchObject(expected)
  })

  it('shows an address without its password', () => {
    expect(parseRedisAddress('redis://me:secret@host:1/2').shown).toBe('redis://host:1/2')
    for (const wrong of [
      'redis://me:secret@host:x',
      'me:secret@host',
      'redis://me:se/cret@host:x',
      'redis:/me:secret@host',
    ])
      expect(() => parseRedisAddress(wrong)).toThrow(/^(?!.*se\/?cret)/)
  })

  it.each([
    'localhost',
    'spider.ts',
    'http:localhost',
    'http://localhost',
    'redis://',
    'redis://host:0',
    'redis://host:99999',
    'redis://a,b',
    'redis://host/db',
    'redis://host/0/1/2',
    'redis+cluster://a,b/1',
    'redis+sentinel://a,b',
    'redis://%zz:x@host',
  ])('refuses %s and says why', (text) => {
    expect(() => parseRedisAddress(text)).toThrow(/is not a Redis address: ./)
  })
})
