import { expect, it } from 'vitest'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { parseProxy, proxyAuthorization } from './proxy.ts'

it('understands the three schemes and their ports', () => {
  expect(parseProxy({ url: 'http://p.test' })).toMatchObject({ scheme: 'http', host: 'p.test', port: 80 })
  expect(parseProxy({ url: 'https://p.test' })).toMatchObject({ scheme: 'https', port: 443 })
  expect(parseProxy({ url: 'socks5://p.test' })).toMatchObject({ scheme: 'socks5', port: 1080 })
  expect(parseProxy({ url: 'socks5://[::1]:9050' })).toMatchObject({ host: '::1', port: 9050 })
})

it('resolves names here unless told otherwise', () => {
  expect(parseProxy({ url: 'http://p.test' }).resolve).toBe('local')
  expect(parseProxy({ url: 'http://p.test', resolve: 'proxy' }).resolve).toBe('proxy')
  expect(parseProxy({ url: 'socks5h://p.test' })).toMatchObject({ scheme: 'socks5', resolve: 'proxy' })
})

it('has a label without user and password', () => {
  expect(parseProxy({ url: 'https://me:secret@p.test' }).label).toBe('https://p.test:443')
  expect(parseProxy({ url: 'socks5://me:secret@[::1]' }).label).toBe('socks5://[::1]:1080')
})

it('decodes user and password', () => {
  const proxy = parseProxy({ url: 'http://a%40b:c%3Ad@p.test' })
  expect(proxy.user).toEqual({ name: 'a@b', password: 'c:d' })
  expect(proxyAuthorization(proxy)).toBe(`Basic ${Buffer.from('a@b:c:d').toString('base64')}`)
  expect(proxyAuthorization(parseProxy({ url: 'http://p.test' }))).toBeUndefined()
  expect(parseProxy({ url: 'http://a:100%@p.test' }).user).toEqual({ name: 'a', password: '100%' })
})

it('is used for all hosts but those to be connected directly', () => {
  const proxy = parseProxy({ url: 'http://p.test', noProxy: ['example.org', '.Sub.test', '127.0.0.1'] })
  const hosts = [
    'example.org',
    'a.example.org',
    'notexample.org',
    'sub.test',
    'x.sub.test',
    '127.0.0.1',
    '127.0.0.2',
  ]
  expect(hosts.filter((host) => proxy.serves(host))).toEqual(['notexample.org', '127.0.0.2'])
  expect(parseProxy({ url: 'http://p.test', noProxy: ['*'] }).serves('a.test')).toBe(false)
})

it.each(['', 'p.test:3128', 'ftp://p.test', 'http://', 'socks4://p.test'])('refuses %j', (url) => {
  expect(() => parseProxy({ url })).toThrow(ConfigurationError)
})

it.each(['ftp://me:secret@p.test', 'ftp://me:secret/x@p.test', 'ftp://me:a@secret@p.test'])(
  'keeps the password of %s out of the message',
  (url) => {
    expect(() => parseProxy({ url })).toThrow(/^(?!.*secret)/)
  },
)
