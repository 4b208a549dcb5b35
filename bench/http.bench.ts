/**
 * Small pages over HTTP/1.1 from a loopback server in another thread: our fetcher compared with undici, sequentially
 * and 64 at a time. Measured is the CPU time of the client thread, because the server runs on the same machine.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { gzipSync } from 'node:zlib'
import { Pool, fetch as undiciFetch } from 'undici'
import { HttpFetcher } from '../src/adapters/http/http-fetcher.ts'

const REQUESTS = 2_000
const ROUNDS = 4

export async function run(): Promise<void> {
  const server = new Worker(new URL(import.meta.url))
  const port = await new Promise<number>((resolve) => server.once('message', resolve))
  const origin = `http://127.0.0.1:${port}`
  const web = new HttpFetcher({
    agent: { name: 'Bench', email: 'bench@example.org' },
    allowPrivateHosts: () => true,
    maxConnectionsPerOrigin: 64,
  })
  const pool = new Pool(origin, { connections: 64 })

  const ways: Array<readonly [name: string, send: (path: string) => Promise<unknown>]> = [
    ['HttpFetcher.fetch (decoded, checked, capped)', (path) => web.fetch({ url: origin + path })],
    [
      'undici Pool.request (not decoded)',
      async (path) => (await pool.request({ path, method: 'GET' })).body.bytes(),
    ],
    ['undici fetch (decoded)', async (path) => (await undiciFetch(origin + path)).bytes()],
  ]
  for (const path of ['/plain', '/gzip'])
    for (const parallel of [1, 64]) {
      // In turns, and the best round of each: the first warms up the compiler, and other programs only ever slow one down.
      const rates = ways.map(() => 0)
      for (let round = 0; round < ROUNDS; round++)
        for (const [i, [, send]] of ways.entries())
          rates[i] = Math.max(rates[i] ?? 0, await sendAll(() => send(path), REQUESTS, parallel))
      const [ours = 1] = rates
      for (const [i, [name]] of ways.entries()) {
        const rate = rates[i] ?? 0
        console.log(
          `${path.padEnd(6)} ${String(parallel).padStart(2)} at a time  ${name.padEnd(44)} ${rate.toFixed(0).padStart(6)} requests per CPU-second  ours is ${(ours / rate).toFixed(2)} x`,
        )
      }
    }
  await Promise.all([web.close(), pool.destroy()])
  await server.terminate()
}

/** Requests a second of this thread's CPU time. */
async function sendAll(send: () => Promise<unknown>, count: number, parallel: number): Promise<number> {
  const cpu = process.threadCpuUsage()
  let left = count
  await Promise.all(
    Array.from({ length: parallel }, async () => {
      while (left-- > 0) await send()
    }),
  )
  const { user, system } = process.threadCpuUsage(cpu)
  return (count * 1_000_000) / (user + system)
}

function serve(): void {
  const page = Buffer.from(
    `<!doctype html><title>A page</title>${'<p>some words in a paragraph</p>\n'.repeat(300)}`,
  )
  const packed = gzipSync(page)
  const server = createServer(({ url }, response) => {
    const body = url === '/gzip' ? packed : page
    response.writeHead(200, {
      'content-type': 'text/html',
      ...(url === '/gzip' && { 'content-encoding': 'gzip' }),
      'content-length': body.length,
    })
    response.end(body)
  })
  server.listen(0, '127.0.0.1', () => parentPort?.postMessage((server.address() as AddressInfo).port))
}

if (!isMainThread) serve()
