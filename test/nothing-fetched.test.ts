import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeCertificates } from '../testing/certificates.ts'
import { type CommandRun, command, QUICK } from '../testing/command-line.ts'
import { type RawServer, startRawServer } from '../testing/raw-server.ts'

const folder = mkdtempSync(join(tmpdir(), 'orbweaver-nothing-'))
const servers: Server[] = []
let silent: RawServer
let closing: RawServer
let dir: string
let tests = 0

/** Origins of servers, by what they do. */
const web: Record<string, string> = {}

beforeAll(async () => {
  silent = await startRawServer(() => {})
  closing = await startRawServer((socket) => socket.destroy())
  const { selfSigned } = makeCertificates(['127.0.0.1'])
  await serve(
    'tls',
    createSecureServer(selfSigned, (_, response) => response.end('secret')),
  )
  for (const status of [401, 403, 404, 429, 500]) await serve(String(status), createServer(sayStatus(status)))
  await serve('disallows', createServer(robots('User-agent: *\nDisallow: /')))
  await serve(
    'robots503',
    createServer((_, response) => response.writeHead(503).end()),
  )
  await serve(
    'away',
    createServer(({ url }, response) => {
      if (url === '/robots.txt') response.writeHead(404).end()
      else response.writeHead(302, { location: 'http://127.0.0.2:9911/' }).end()
    }),
  )
  await serve(
    'good',
    createServer((_, response) => response.setHeader('content-type', 'text/html').end('<p>hi')),
  )
})

afterAll(async () => {
  for (const server of servers) server.close()
  await Promise.all([silent.close(), closing.close()])
  rmSync(folder, { recursive: true })
})

beforeEach(() => {
  dir = join(folder, `crawl-${++tests}`)
})

async function serve(name: string, server: Server): Promise<void> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  servers.push(server)
  const scheme = name === 'tls' ? 'https' : 'http'
  web[name] = `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A site without robots.txt whose pages all have this status. */
function sayStatus(status: number): RequestListener {
  return ({ url }, response) => response.writeHead(url === '/robots.txt' ? 404 : status).end()
}

function robots(text: string): RequestListener {
  return (_, response) => response.setHeader('content-type', 'text/plain').end(text)
}

const CAUSES: ReadonlyArray<readonly [string, () => string, readonly string[], RegExp]> = [
  [
    'DNS',
    () => 'http://nosuch.invalid/',
    [],
    /nosuch\.invalid does not resolve \(ENOTFOUND\)\. Check the spelling/,
  ],
  ['TLS', () => `${web['tls']}/`, [], /TLS connection to 127\.0\.0\.1:\d+ failed \(.+\)\. .*--insecure-host/],
  [
    'a refused connection',
    () => 'http://127.0.0.1:39999/',
    [],
    /refused the connection \(.+\)\. Check that a server listens/,
  ],
  [
    'a timeout',
    () => `${silent.origin}/`,
    ['--timeout', '0.3'],
    /did not respond in time \(.*\)\. .*--timeout|could not be fetched \(too-slow\)/,
  ],
  [
    'a closed connection',
    () => `${closing.origin}/`,
    [],
    /closed the connection \(.+\)\. Check the network|could not be fetched \(network-failure: reset\)/,
  ],
  [
    'a proxy that is down',
    () => 'http://127.0.0.1:39998/',
    ['--proxy', 'http://127.0.0.1:39999'],
    /the proxy failed \(.+\)\. Check --proxy/,
  ],
  ['401', () => `${web['401']}/`, [], /returned HTTP 401 \(unauthorized\)\. The site denies access/],
  ['403', () => `${web['403']}/`, [], /returned HTTP 403 \(forbidden\)\. The site denies access/],
  ['404', () => `${web['404']}/`, [], /returned HTTP 404 \(not found\)\. Check the seed URLs\./],
  [
    '500',
    () => `${web['500']}/`,
    [],
    /returned HTTP 500 \(internal server error\)\. .*run the command again later/,
  ],
  [
    'robots.txt',
    () => `${web['disallows']}/`,
    [],
    /robots\.txt of .* disallows .*\/ \(line 2: Disallow: \/\)\. The site does not allow/,
  ],
  ['a robots.txt with 503', () => `${web['robots503']}/`, [], /robots\.txt of .* returned (?:HTTP )?503/],
]

/** One line of error, exit code 3, and with `--json` one document with the same cause. */
function expectFailure({ exitCode, stderr }: CommandRun, json: CommandRun, message: RegExp): void {
  const errors = stderr.split('\n').filter((line) => line.startsWith('error: '))
  expect(errors).toEqual([expect.stringMatching(/^error: 0 pages: /)])
  expect(errors[0]).toMatch(message)
  expect([exitCode, json.exitCode]).toEqual([3, 3])
  const { error } = JSON.parse(json.stdout)
  expect(error).toMatchObject({ code: 'NOTHING_FETCHED', message: expect.stringMatching(message) })
}

describe.each(CAUSES)('%s', (_, seed, flags, message) => {
  it('ends crawl with 3', async () => {
    const text = await command(['crawl', dir, seed(), ...flags, ...QUICK])
    const json = await command(['crawl', `${dir}-json`, seed(), ...flags, ...QUICK, '--json'])
    expectFailure(text, json, message)
    for (const line of text.stdout.split('\n'))
      if (!/orbweaver/.test(line)) expect(line.length).toBeLessThan(81)
  })

  it('ends fetch with 3', async () => {
    const fetched = async (where: string, ...more: string[]) => {
      await command(['inject', where, seed()])
      await command(['generate', where])
      return command(['fetch', where, ...flags, ...QUICK, ...more])
    }
    expectFailure(await fetched(dir), await fetched(`${dir}-json`, '--json'), message)
  })

  it('ends run with 3', async () => {
    const file = spider(
      `start: '${seed()}', retry: { retries: { network: 0, serverError: 0, rateLimited: 0, tooSlow: 0, robots: 0 } }, parse() {}`,
    )
    const run = ['run', file, ...flags, '--delay', '0', '--email', 'a@b.c']
    expectFailure(await command(run), await command([...run, '--json']), message)
  })
})

it('ends crawl with 3 if a redirect leads to a private address', async () => {
  const { exitCode, stderr } = await command(['crawl', dir, `${web['away']}/`, '--scope', 'any', ...QUICK])
  expect(exitCode).toBe(3)
  expect(stderr).toMatch(/error: 0 pages: 127\.0\.0\.2:9911 was not requested: .*--allow-host/)
})

it('ends run with 3 if all handlers fail, with the first error', async () => {
  const file = spider(`start: '${web['good']}/', parse() { throw new Error('no such field') }`)
  const { exitCode, stderr } = await command(['run', file, ...QUICK.slice(0, 2), '--email', 'a@b.c'])
  expect(exitCode).toBe(3)
  expect(stderr).toMatch(/error: 0 pages: every page failed in the spider: .*no such field.*Fix the spider/)
})

describe('nothing to do', () => {
  it('ends crawl with 1 and the rule, if the filters reject all seeds', async () => {
    const { exitCode, stdout, stderr } = await command(['crawl', dir, `${web['good']}/a.png`, ...QUICK])
    expect(exitCode).toBe(1)
    expect(stderr + stdout).toMatch(/nothing to do: all seeds were rejected: .*default rules/)
  })

  it('ends crawl with 1 and the rule, if the filters reject all due URLs', async () => {
    await command(['inject', dir, `${web['good']}/page`])
    const rules = join(folder, 'rules.txt')
    writeFileSync(rules, '-page\n+.\n')
    const { exitCode, stdout } = await command(['crawl', dir, '--rules', rules, ...QUICK])
    expect({ exitCode, stdout }).toMatchObject({
      exitCode: 1,
      stdout: expect.stringMatching(/^nothing is due/),
    })
    expect(stdout).toMatch(/1 due URL left out: 1 rejected by the filters/)
    const json = await command(['crawl', dir, '--rules', rules, ...QUICK, '--json'])
    expect(JSON.parse(json.stdout)).toMatchObject({ rejected: 1, rejectedBy: { filtered: 1 } })
  })

  it('ends inject with 1 for no URL, and with 1 and the rule if all are rejected', async () => {
    expect(await command(['inject', dir, '-'], '\n# nothing\n')).toMatchObject({
      exitCode: 1,
      stdout: 'no URL was given\n',
    })
    const rejected = await command(['inject', dir, 'http://a.test/a.png'])
    expect(rejected.stdout).toMatch(/rejected: 1 filtered\n.*default rules/)
    expect(rejected.exitCode).toBe(1)
  })

  it('ends fetch with 1 for a segment that is fetched', async () => {
    await command(['inject', dir, `${web['good']}/`])
    const { segments } = JSON.parse((await command(['generate', dir, '--json'])).stdout)
    expect((await command(['fetch', dir, ...QUICK])).exitCode).toBe(0)
    expect(await command(['fetch', dir, segments[0], ...QUICK])).toMatchObject({ exitCode: 1 })
  })
})

it('names seeds that cannot be read', async () => {
  expect(await command(['crawl', dir, join(folder, 'missing.txt'), ...QUICK])).toMatchObject({
    ...{ exitCode: 2, stderr: expect.stringMatching(/^error: .*missing\.txt/m) },
  })
  const unreadable = join(folder, 'unreadable.txt')
  writeFileSync(unreadable, 'http://a.test/\n')
  chmodSync(unreadable, 0)
  // root may read everything
  if (process.getuid?.() === 0) return
  expect(await command(['crawl', dir, unreadable, ...QUICK])).toMatchObject({
    ...{ exitCode: 3, stderr: expect.stringMatching(/unreadable\.txt: permission denied/) },
  })
})

function spider(source: string): string {
  const file = join(folder, `spider-${++tests}.ts`)
  writeFileSync(file, `export default { name: 'spider-${tests}', ${source} }`)
  return file
}
