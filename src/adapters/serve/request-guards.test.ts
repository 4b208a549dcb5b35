import { hostname } from 'node:os'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { hostGuard } from './request-guards.ts'

async function isAccepted(host: string, header: string): Promise<boolean> {
  const app = new Hono().use(hostGuard(host)).get('/', (context) => context.text('yes'))
  return (await app.request('http://x/', { headers: header === '' ? {} : { host: header } })).status === 200
}

describe('hostGuard', () => {
  it.each(['127.0.0.1', '127.0.0.1:8090', '127.1.2.3', 'localhost:1', 'LOCALHOST', '[::1]', '[::1]:8090'])(
    'accepts %s on loopback',
    async (header) => expect(await isAccepted('127.0.0.1', header)).toBe(true),
  )

  it.each([
    ...[
      'evil.example',
      'evil.example:8090',
      'localhost.evil.example',
      '127.0.0.1.evil.example',
      '192.168.1.5',
    ],
    ...['', ':8090', '[::2]', 'localhost:8090:1', 'a@localhost', '127.evil.example', hostname()],
  ])('rejects "%s" on loopback', async (header) => expect(await isAccepted('127.0.0.1', header)).toBe(false))

  it('accepts the name that it listens on, and IP addresses', async () => {
    expect(await isAccepted('crawl.example', 'Crawl.Example:8090')).toBe(true)
    expect(await isAccepted('0.0.0.0', '192.168.1.5:8090')).toBe(true)
    expect(await isAccepted('0.0.0.0', hostname())).toBe(true)
    expect(await isAccepted('0.0.0.0', 'evil.example')).toBe(false)
  })
})
