import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { command } from '../../testing/command-line.ts'
import { ServedDirectory } from '../../testing/served-directory.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-serve-'))
  mkdirSync(join(folder, 'crawl', 'segments'), { recursive: true })
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('serve', () => {
  it('serves the page and the API until Ctrl-C, and says where', async () => {
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

  it('ends with 2 where there is no crawl, and says what makes one', async () => {
    expect(await command(['serve', join(folder, 'nothing')])).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `error: there is no crawl in ${join(folder, 'nothing')}: orbweaver crawl makes one\n`,
    })
  })

  it('ends with 2 when it is given a file', async () => {
    writeFileSync(join(folder, 'file'), '')
    const { exitCode, stderr } = await command(['serve', join(folder, 'file')])
    expect([exitCode, stderr]).toEqual([
      2,
      `error: ${join(folder, 'file')} is a file; give the directory of a crawl\n`,
    ])
  })

  it('ends with 2 when the port is taken, and says what to do', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const { port } = other.address() as { port: number }
    const { exitCode, stderr } = await command(['serve', join(folder, 'crawl'), '--port', String(port)])
    other.close()
    expect([exitCode, stderr]).toEqual([
      2,
      `error: port ${port} of 127.0.0.1 is taken: give another with --port, or --port 0 for any that is free\n`,
    ])
  })

  it('ends with 2 for a port and a host that cannot be', async () => {
    const crawl = join(folder, 'crawl')
    expect(await command(['serve', crawl, '--port', '70000'])).toMatchObject({
      ...{ exitCode: 2, stderr: 'error: --port is a number up to 65535\n' },
    })
    expect(await command(['serve', crawl, '--port', '0', '--host', '192.0.2.1'])).toMatchObject({
      ...{ exitCode: 2, stderr: 'error: 192.0.2.1 is no address of this machine: give one with --host\n' },
    })
  })
})
