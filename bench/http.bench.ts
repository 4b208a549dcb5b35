/** Small pages over loopback: our fetcher beside undici's own ways to ask, one request after another and 64 at a time. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { Pool, fetch as undiciFetch } from 'undici'
import { HttpFetcher } from '../src/http/http-fetcher.ts'

const REQUESTS = 4_000
const PAGE = gzipSync(
  `<!doctype html><title>A page</title>${'<p>some words in a paragraph</p>\n'.repeat(300)}`,
)

export async function run(): Promise<void> {
  const server = createServer((_request, response) => {
    response.writeHead(200, {
      'content-type': 'text/html',
      'content-encoding': 'gzip',
      'content-length': PAGE.length,
    })
    response.end(PAGE)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const web = new HttpFetcher({
    agent: { name: 'Bench', email: 'bench@example.org' },
    allowPrivateHosts: () => true,
    maxConnectionsPerOrigin: 64,
  })
  const pool = new Pool(origin, { connections: 64 })

  const ways: Array<readonly [name: string, ask: () => Promise<unknown>]> = [
    ['HttpFetcher.fetch (decoded, checked, capped)', () => web.fetch({ url: `${origin}/` })],
    [
      'undici Pool.request (not decoded)',
      async () => (await pool.request({ path: '/', method: 'GET' })).body.bytes(),
    ],
    ['undici fetch (decoded)', async () => (await undiciFetch(`${origin}/`)).bytes()],
  ]
  for (const parallel of [1, 64]) {
    const rates: number[] = []
    for (const [, ask] of ways) {
      await askAll(ask, 500, parallel)
      rates.push(await askAll(ask, REQUESTS, parallel))
    }
    const [ours = 1] = rates
    for (const [i, [name]] of ways.entries()) {
      const rate = rates[i] ?? 0
      console.log(
        `${String(parallel).padStart(2)} at a time  ${name.padEnd(46)} ${rate.toFixed(0).padStart(6)} requests/s  ours is ${(ours / rate).toFixed(2)} x`,
      )
    }
  }
  await Promise.all([web.close(), pool.destroy()])
  server.closeAllConnections()
  server.close()
}

/** Requests a second. */
async function askAll(ask: () => Promise<unknown>, count: number, parallel: number): Promise<number> {
  const start = performance.now()
  let left = count
  await Promise.all(
    Array.from({ length: parallel }, async () => {
      while (left-- > 0) await ask()
    }),
  )
  return (count * 1_000) / (performance.now() - start)
}
