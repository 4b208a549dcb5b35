import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { page } from '../testing/misbehaving-web/route.ts'
import { type MisbehavingWeb, startMisbehavingWeb } from '../testing/misbehaving-web.ts'
import type { RedisServer } from '../testing/redis-server.ts'
import { useRedis } from '../testing/use-redis.ts'
import { packPackage } from './packed-package.ts'
import { type Run, runProgram } from './run-orbweaver.ts'

const INSTALL_MS = 600_000
const HOST = '127.0.0.1'
/** More than the main thread parses, so that a parser thread starts, too. */
const LARGE = `<title>Large</title>${'<p>Spider silk is strong.</p>'.repeat(20_000)}`

const SPIDER = `
import { spider } from 'orbweaver'
import { z } from 'zod'

export default ({ site }: { site: string }) => spider({
  name: 'titles',
  start: [site],
  item: z.object({ title: z.string() }),
  settings: { agent: { email: 'test@localhost' }, politeness: { delaySeconds: 0 } },
  *parse(page) {
    yield page.item({ title: page.text('title') })
    yield* page.followAll('a')
  },
})
`

const LIBRARY = `
import { openCrawl } from 'orbweaver'
import { normalizeUrl } from 'orbweaver/url'

await using crawl = await openCrawl(process.argv[2])
const titles = []
for await (const { title } of crawl.pages()) titles.push(title)
console.log(JSON.stringify({ titles: titles.sort(), url: normalizeUrl('HTTP://Example.org') }))
`

let web: MisbehavingWeb
let folder: string
let redis: RedisServer
useRedis((started) => {
  redis = started.server
})

/** `npm test` builds dist/ before. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-package-'))
  web = await startMisbehavingWeb()
  web.serve(HOST, {
    '/': page('<title>Home</title><a href="/large">large</a>'),
    '/large': page(LARGE),
  })
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
  writeFileSync(join(folder, 'titles.ts'), SPIDER)
  writeFileSync(join(folder, 'library.js'), LIBRARY)
  const archive = await packPackage(folder)
  const installed = await runProgram('npm', ['install', '--prefer-offline', '--no-audit', archive], folder)
  expect(installed.exitCode, installed.stderr).toBe(0)
}, INSTALL_MS)
afterAll(async () => {
  await web.close()
  rmSync(folder, { recursive: true })
})

const bin = () => join(folder, 'node_modules/orbweaver/bin/orbweaver.js')

function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Run> {
  const settings = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  // The tests have a cache of their own.
  return runProgram('env', ['-u', 'NODE_COMPILE_CACHE', ...settings, process.execPath, ...args], folder)
}

describe('the installed package', () => {
  it('crawls, in the main thread and in a parser thread, and searches', async () => {
    const crawled = await run([bin(), 'crawl', 'crawl', `${web.origin(HOST)}/`, '--delay', '0', '--index'])
    expect(crawled, crawled.stderr).toMatchObject({ exitCode: 0 })
    const found = await run([bin(), 'search', 'crawl', 'silk', '--json'])
    expect(JSON.parse(found.stdout).total).toBe(1)
  })

  it('is a library', async () => {
    const { stdout, stderr } = await run(['library.js', 'crawl'])
    expect(JSON.parse(stdout || stderr)).toMatchObject({ titles: ['Home', 'Large'] })
  })

  it('serves the crawl with its page', async () => {
    const server = spawn(process.execPath, [bin(), 'serve', 'crawl', '--port', '0'], { cwd: folder })
    try {
      let said = ''
      for (const stream of [server.stdout, server.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => {
          said += text
        })
      let url: string | undefined
      while (url === undefined) {
        await Promise.race([once(server.stdout, 'data'), once(server.stderr, 'data'), once(server, 'exit')])
        if (server.exitCode !== null) throw new Error(said)
        url = /http:\/\/\S+/.exec(said)?.[0]
      }
      expect(await (await fetch(url)).text()).toContain('<script')
      const found = (await (await fetch(new URL('/api/search?q=silk', url))).json()) as { total: number }
      expect(found.total).toBe(1)
    } finally {
      server.kill()
    }
  })

  it.each([
    ['in a directory', ['--dir', 'spider']],
    ['in its own thread', ['--dir', 'isolated', '--isolated']],
  ])('runs a spider %s', async (_, flags) => {
    const ran = await runSpider([...flags, '--out', '-', '--quiet'])
    expect(titlesOf(ran), ran.stderr).toEqual(['Home', 'Large'])
  })

  it('runs a spider over Redis', async () => {
    const flags = ['--redis', redis.address]
    const ran = await runSpider(flags)
    const items = await run([bin(), 'items', 'titles', ...flags, '--out', '-'])
    expect(titlesOf(items), ran.stderr).toEqual(['Home', 'Large'])
  })

  const runSpider = (flags: readonly string[]) =>
    run([bin(), 'run', 'titles.ts', '--arg', `site=${web.origin(HOST)}/`, ...flags])

  const titlesOf = ({ stdout }: Run) =>
    stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line).title)
      .sort()

  it('has the program of Spark executors', async () => {
    const worker = join(folder, 'node_modules/orbweaver/dist/adapters/spark/rules-worker.js')
    const { stderr } = await run([worker, 'no-such-rules.json'])
    expect(stderr).toContain('no-such-rules.json')
  })
})

describe('the compile cache', () => {
  const cached = (caches: string) => readdirSync(join(caches, 'orbweaver/compile-cache'))

  it('has one folder per installation', async () => {
    const caches = join(folder, 'caches')
    for (const args of [['--help'], ['crawl', '--help']])
      expect(await run([bin(), ...args], { XDG_CACHE_HOME: caches })).toMatchObject({
        exitCode: 0,
        stderr: '',
      })
    expect(cached(caches)).toHaveLength(1)
  })

  it('is not needed', async () => {
    writeFileSync(join(folder, 'a-file'), '')
    const env = { XDG_CACHE_HOME: join(folder, 'a-file'), HOME: '/nonexistent' }
    expect(await run([bin(), '--help'], env)).toMatchObject({ exitCode: 0, stderr: '' })
  })

  it('does not grow without limit', async () => {
    const caches = join(folder, 'full')
    for (let i = 0; i < 20; i++)
      mkdirSync(join(caches, 'orbweaver/compile-cache', String(i)), { recursive: true })
    await run([bin(), '--help'], { XDG_CACHE_HOME: caches })
    expect(cached(caches)).toHaveLength(8)
  })
})
