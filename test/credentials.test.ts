import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runShell } from './run-orbweaver.ts'

const PASSWORD = 'a-password-of-the-intranet'
const KEY = 'a-key-of-the-intranet'
const AUTHORIZATION = `Basic ${Buffer.from(`bot:${PASSWORD}`).toString('base64')}`

let dir: string
const servers: Server[] = []
/** Requests of the second host, with the headers that must not reach it. */
const atOther: Array<string | undefined> = []

const BIN = join(import.meta.dirname, '..', 'bin/orbweaver.js')

/** Runs a command line of Orbweaver in the folder of the test. */
function orbweaver(line: string, variables = '') {
  return runShell(`${variables} ${process.execPath} ${BIN} ${line}`, dir)
}

/** Starts a server on a loopback address and returns `address:port`. */
async function serve(address: string, respond: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(respond ?? (() => undefined))
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, address, resolve))
  return `${address}:${(server.address() as AddressInfo).port}`
}

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'orbweaver-credentials-'))
})
afterAll(() => {
  for (const server of servers) server.close()
  rmSync(dir, { recursive: true })
})

it('sends credentials to their host only, and stores them nowhere', async () => {
  const other = await serve('127.0.0.2', ({ headers }, response) => {
    atOther.push(headers.authorization, headers['x-key'] as string | undefined)
    response.setHeader('content-type', 'text/html')
    response.end('<title>Other</title>')
  })
  const intranet = await serve('127.0.0.1', ({ url, headers }, response) => {
    if (headers.authorization !== AUTHORIZATION || headers['x-key'] !== KEY) {
      response.writeHead(401).end()
    } else if (url === '/moved') {
      response.writeHead(302, { location: `http://${other}/target` }).end()
    } else {
      response.setHeader('content-type', 'text/html')
      response.end(`<title>Intranet</title><a href="/moved">a</a><a href="http://${other}/">b</a>`)
    }
  })
  const config = {
    http: {
      allowPrivateHosts: ['127.0.0.2'],
      credentials: {
        [intranet]: {
          basic: { user: 'bot', password: { env: 'INTRANET_PASSWORD' } },
          headers: { 'X-Key': { env: 'INTRANET_KEY' } },
        },
      },
    },
    filters: { scope: 'any' },
    politeness: { delaySeconds: 0 },
  }
  writeFileSync(join(dir, 'orbweaver.config.json'), JSON.stringify(config))
  const crawl = `crawl crawl http://${intranet}/ --json`
  const missing = await orbweaver(crawl)
  expect(missing.exitCode).toBe(2)
  expect(missing.stderr).toContain('needs the environment variable INTRANET_PASSWORD, which is not set')

  const crawled = await orbweaver(crawl, `INTRANET_PASSWORD=${PASSWORD} INTRANET_KEY=${KEY}`)
  expect(crawled.exitCode).toBe(0)
  expect(atOther.length).toBeGreaterThan(0)
  expect(new Set(atOther)).toEqual(new Set([undefined]))
  const { stdout } = await orbweaver('readdb crawl --dump urls.jsonl --status fetched --format jsonl')
  expect(stdout).toContain('3 records')

  const exported = await orbweaver('export crawl --format warc --out pages.warc.gz')
  expect(exported.exitCode).toBe(0)
  const warc = gunzipSync(readFileSync(join(dir, 'pages.warc.gz'))).toString('latin1')
  expect(warc.toLowerCase()).toContain('authorization: (not stored)')
  const dump = await orbweaver(`readseg crawl --get http://${intranet}/ --json`)
  for (const secret of [PASSWORD, KEY, AUTHORIZATION.slice(6)]) {
    expect(warc).not.toContain(secret)
    expect(dump.stdout).not.toContain(secret)
    for (const file of filesIn(dir)) expect(readFileSync(file, 'latin1'), file).not.toContain(secret)
  }
})

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
}
