import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { page } from './misbehaving-web/route.ts'
import { type MisbehavingWeb, routes, startMisbehavingWeb } from './misbehaving-web.ts'

let web: MisbehavingWeb
beforeAll(async () => {
  web = await startMisbehavingWeb({ addresses: 2 })
})
afterAll(() => web.close())
beforeEach(() => web.judge.reset())

it('serves an additional host', async () => {
  const origin = web.serve('own.test', { '/': page('<title>own</title>') })
  expect(await get(`${origin}/`)).toMatchObject({ status: 200, body: '<title>own</title>' })
  expect(await get(`${origin}/endless`)).toMatchObject({ status: 404 })
})

it('distinguishes hosts by name and by address', async () => {
  await get(`${web.origin('a.test')}/status/404`)
  await get(`${web.origin('127.0.0.2')}/status/404`, '127.0.0.2')
  expect(web.judge.hits.map(({ host, address, status }) => ({ host, address, status }))).toEqual([
    { host: 'a.test', address: '127.0.0.1', status: 404 },
    { host: '127.0.0.2', address: '127.0.0.2', status: 404 },
  ])
})

it('rejects unknown routes, so that a misspelt test fails', () => {
  expect(() => web.url('/no-such-route')).toThrow('/no-such-route')
})

it('keeps the connection after a complete response', async () => {
  const socket = connect(Number(new URL(web.origin('a.test')).port), '127.0.0.1')
  const head = 'GET /status/404 HTTP/1.1\r\nHost: a.test\r\n\r\n'
  socket.write(head + head + head.replace('/status/404', '/http-0.9'))
  const responses = await text(socket)
  expect(responses.match(/HTTP\/1\.1 404/g)).toHaveLength(2)
  expect(responses.endsWith('<title>fine</title>')).toBe(true)
  expect(web.judge.verdicts().get('a.test')).toMatchObject({ hits: 3, mostInParallel: 1 })
})

it('notices that a client closes a silent connection', async () => {
  const socket = connect(Number(new URL(web.url('/silence')).port), '127.0.0.1')
  socket.write('GET /silence HTTP/1.1\r\nHost: a.test\r\n\r\n')
  await expect.poll(() => web.judge.hits.length).toBe(1)
  socket.destroy()
  await expect.poll(() => web.judge.hits[0]?.brokenOff).toBe(true)
})

it('counts the connections to a host that never reads a request', async () => {
  const { port } = new URL(web.origin('ssh.test'))
  const socket = connect(Number(port), '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\n\r\n')
  expect(await text(socket)).toMatch(/^SSH-2\.0/)
  expect(web.connectionsTo('ssh.test')).toBe(1)
})

it('reports the Retry-After time to the judge', async () => {
  await get(web.url('/retry-after/seconds'))
  await get(web.url('/retry-after/garbage'))
  expect(web.judge.hits.map((hit) => hit.waitMs)).toEqual([120_000, 0])
})

describe('every route', () => {
  const long = /endless|flood|drip|silence|extensions|trailers|huge|10-gb/
  it.each(Object.keys(routes).filter((path) => !long.test(path)))(
    'completes the response of %s',
    async (path) => {
      const socket = connect(Number(new URL(web.url(path)).port), '127.0.0.1')
      socket.on('error', () => {}).resume()
      socket.write(`GET ${path} HTTP/1.1\r\nHost: faults.test\r\n\r\n`)
      await expect.poll(() => web.judge.hits[0]?.end, { timeout: 5_000, interval: 2 }).toBeDefined()
      socket.destroy()
      if (!socket.closed) await once(socket, 'close')
      expect(web.judge.hits[0]?.brokenOff).toBe(false)
    },
  )
})

async function get(
  url: string,
  address = '127.0.0.1',
): Promise<{ status: number | undefined; body: string }> {
  const { host, port, pathname } = new URL(url)
  const [response] = await once(
    request({ host: address, port, path: pathname, headers: { host } }).end(),
    'response',
  )
  return { status: response.statusCode, body: await text(response) }
}
