import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { page } from '../testing/misbehaving-web/route.ts'
import { type MisbehavingWeb, startMisbehavingWeb } from '../testing/misbehaving-web.ts'
import { runOrbweaver } from './run-orbweaver.ts'

let web: MisbehavingWeb
let folder: string

beforeAll(async () => {
  web = await startMisbehavingWeb()
  web.serve('127.0.0.1', { '/': page('<title>Hello</title><a href="/next">next</a>') })
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-'))
})

afterAll(async () => {
  rmSync(folder, { recursive: true })
  await web.close()
})

describe('the orbweaver command', () => {
  it('checks a URL on loopback, because the operator named it', async () => {
    const { exitCode, stdout } = await runOrbweaver([
      'check',
      '--json',
      '--delay',
      '0.1',
      `${web.origin('127.0.0.1')}/`,
    ])
    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ fetch: { outcome: 'success' }, page: { title: 'Hello' } })
  })

  it('is polite according to the server log', async () => {
    web.judge.reset()
    await runOrbweaver(['check', '--delay', '0.3', `${web.origin('127.0.0.1')}/`])
    expect(web.judge.hits.map(({ path }) => path)).toEqual(['/robots.txt', '/'])
    expect(web.judge.violations({ minGapMs: 300 })).toEqual([])
  })

  it('runs the demo crawl without internet and requests every reachable URL', async () => {
    const dir = join(folder, 'demo')
    const { exitCode, stdout } = await runOrbweaver(['demo', dir])
    expect(exitCode).toBe(0)
    const [, requested, expected] =
      /(\d+) of the (\d+) URLs that robots\.txt allows were requested/.exec(stdout) ?? []
    expect(Number(expected)).toBeGreaterThan(100)
    expect(requested).toBe(expected)
    const { stdout: stats } = await runOrbweaver(['readdb', dir, '--stats', '--json'])
    expect(JSON.parse(stats)).toMatchObject({ hosts: 6, generated: 0 })
  })

  it('prints one line and exits with code 2 for invalid input', async () => {
    const { exitCode, stdout, stderr } = await runOrbweaver(['check', 'not a url'])
    expect(exitCode).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toMatch(/^error: .*not a url.*\n$/)
  })

  it('prints the required Node.js version when started on an older one', async () => {
    const preload = join(folder, 'older.cjs')
    writeFileSync(
      preload,
      "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })",
    )
    const { exitCode, stdout, stderr } = await runOrbweaver(['check', 'http://a.test/'], ['-r', preload])
    expect(exitCode).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toMatch(/^orbweaver needs Node\.js 22\.19 or newer; .*\n$/)
  })
})
