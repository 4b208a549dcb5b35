import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { command } from '../../testing/command-line.ts'
import { startRedis } from '../../testing/redis-server.ts'
import { ServedDirectory } from '../../testing/served-directory.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-serve-'))
  mkdirSync(join(folder, 'crawl', 'segments'), { recursive: true })
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('serve', () => {
  it('serves the page and the API until Ctrl-C, and prints the URL', async () => {
    const served = await ServedDirectory.start(join(folder, 'crawl'))
    expect(served.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/)
    expect(await (await fetch(served.url)).text()).toContain('<title>Orbweaver</title>')
    expect(await (await fetch(`${served.url}api/overview`)).json()).toEqual({
      ...{ directory: join(folder, 'crawl'), freshness: {}, segments: 0 },
    })
    expect(await (await fetch(`${served.url}api/search?q=silk`)).json()).toEqual({
      ...{ kind: 'no-index', directory: join(folder, 'crawl') },
    })
    expect(await served.stop()).toBe(0)
    await expect(fetch(served.url)).rejects.toThrow()
  })

  it('exits with 2 if there is no crawl, and names the command that creates one', async () => {
    expect(await command(['serve', join(folder, 'nothing')])).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `error: there is no crawl in ${join(folder, 'nothing')}: create one with orbweaver crawl\n`,
    })
  })

  it('exits with 2 without a directory', async () => {
    expect(await command(['serve'])).toEqual({
      exitCode: 2,
      stdout: '',
      stderr:
        'error: which crawl? Name its directory, such as orbweaver serve crawl, or show those in Redis with --redis\n',
    })
  })

  it('exits with 2 if there are no crawls in Redis', async () => {
    const redis = await startRedis()
    onTestFinished(() => redis.stop())
    expect(await command(['serve', '--redis', redis.address])).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `error: there are no crawls in this Redis yet. Name one to show it when it starts: orbweaver serve --redis ${redis.address} <crawl>\n`,
    })
  })

  it('exits with 2 for a file', async () => {
    writeFileSync(join(folder, 'file'), '')
    const { exitCode, stderr } = await command(['serve', join(folder, 'file')])
    expect([exitCode, stderr]).toEqual([
      2,
      `error: ${join(folder, 'file')} is a file; give the directory of a crawl\n`,
    ])
  })

  it('exits with 2 if the port is in use, and suggests another', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const { port } = other.address() as { port: number }
    const { exitCode, stderr } = await command(['serve', join(folder, 'crawl'), '--port', String(port)])
    other.close()
    expect([exitCode, stderr]).toEqual([
      2,
      `error: port ${port} of 127.0.0.1 is in use: choose another with --port, or --port 0 for any free port\n`,
    ])
  })

  it('exits with 2 for an invalid port and an invalid host', async () => {
    const crawl = join(folder, 'crawl')
    expect(await command(['serve', crawl, '--port', '70000'])).toMatchObject({
      ...{ exitCode: 2, stderr: 'error: --port is 70000; the maximum is 65535\n' },
    })
    expect(await command(['serve', crawl, '--port', '0', '--host', '192.0.2.1'])).toMatchObject({
      ...{
        exitCode: 2,
        stderr: 'error: 192.0.2.1 is not an address of this machine: choose one with --host\n',
      },
    })
  })
})
