import { afterEach, describe, expect, it } from 'vitest'
import { parseMetricsAddress } from './metrics-address.ts'
import { listenForScrapes, type MetricsServer } from './metrics-server.ts'

const open: MetricsServer[] = []
afterEach(async () => {
  for (const server of open.splice(0)) await server.close()
})

async function listening(address: string, scrape = async () => 'up 1\n'): Promise<MetricsServer> {
  const server = await listenForScrapes(address, scrape)
  open.push(server)
  return server
}

describe('the metrics server', () => {
  it('serves the text of each scrape at /metrics, on this machine only', async () => {
    let scrapes = 0
    const { url } = await listening('0', async () => `scrapes ${++scrapes}\n`)
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/)
    await fetch(url)
    const response = await fetch(`${url}?collect=all`)
    expect([response.status, await response.text()]).toEqual([200, 'scrapes 2\n'])
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  })

  it('responds to a health check at /, and to nothing else', async () => {
    const { url } = await listening('localhost:0')
    const statusOf = async (path: string, method = 'GET') =>
      (await fetch(new URL(path, url), { method })).status
    expect(await statusOf('/')).toBe(200)
    expect(await statusOf('/', 'HEAD')).toBe(200)
    expect(await statusOf('/api')).toBe(404)
    expect(await statusOf('/metrics', 'POST')).toBe(405)
  })

  it('reports a failed scrape, and serves the next one', async () => {
    let fails = true
    const { url } = await listening('0', () =>
      fails ? Promise.reject(new Error('no report')) : Promise.resolve(''),
    )
    expect((await fetch(url)).status).toBe(500)
    fails = false
    expect((await fetch(url)).status).toBe(200)
  })

  it('explains a port in use', async () => {
    const { port } = new URL((await listening('0')).url)
    await expect(listening(port)).rejects.toMatchObject({
      code: 'ADDRESS_UNAVAILABLE',
      message: `port ${port} of 127.0.0.1 is in use: choose another one for the metrics, or 0 for any free port`,
    })
  })

  it('explains an address of another machine', async () => {
    await expect(listening('192.0.2.1:0')).rejects.toThrow('192.0.2.1 is not an address of this machine')
  })
})

describe('parseMetricsAddress', () => {
  it.each([
    ['9464', '127.0.0.1', 9464],
    ['0.0.0.0:9464', '0.0.0.0', 9464],
    ['localhost:80', 'localhost', 80],
    ['[::1]:9464', '::1', 9464],
  ])('reads %s', (address, host, port) => {
    expect(parseMetricsAddress(address)).toEqual({ host, port })
  })

  it.each(['', ':9464', 'localhost', '::1:9464', '65536', '-1', 'http://localhost:9464', '9464/metrics'])(
    'rejects %j with an example',
    (address) => {
      expect(() => parseMetricsAddress(address)).toThrow(/is not an address for metrics: .*127\.0\.0\.1:9464/)
    },
  )
})
