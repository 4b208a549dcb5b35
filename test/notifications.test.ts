import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type GatedSite, serveGatedSite } from '../testing/gated-site.ts'
import { runOrbweaver } from './run-orbweaver.ts'
import { StartedOrbweaver } from './started-orbweaver.ts'

const folder = mkdtempSync(join(tmpdir(), 'orbweaver-notifications-'))
/** Receives webhooks. */
let receiver: Server
let webhook: string
let received: Array<{ readonly type: string | undefined; readonly document: Notification }>
let status: number
let site: GatedSite
let dir: string
let tests = 0

interface Notification {
  readonly event: string
  readonly exitCode: number
  readonly reason: string
}

beforeAll(async () => {
  receiver = createServer(async (request, response) => {
    const body = await request.toArray()
    received.push({
      type: request.headers['content-type'],
      document: JSON.parse(Buffer.concat(body).toString()),
    })
    response.writeHead(status).end()
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  webhook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
})

afterAll(() => {
  receiver.close()
  rmSync(folder, { recursive: true })
})

beforeEach(async () => {
  received = []
  status = 200
  site = await serveGatedSite(3)
  dir = join(folder, `crawl-${++tests}`)
})

afterEach(() => site.close())

function crawl(seed: string, target: string, ...more: string[]): string[] {
  const quick = ['--delay', '0', '--email', 'test@example.org', '--parse-threads', '0']
  return ['crawl', dir, seed, ...quick, '--on-finish', target, ...more]
}

/** A command that stores its standard input, its variables, and prints a line. */
function storing(): string {
  const variables =
    '$ORBWEAVER_EVENT|$ORBWEAVER_CRAWL|$ORBWEAVER_REASON|$ORBWEAVER_PAGES|$ORBWEAVER_EXIT_CODE'
  return `cat > '${dir}.json'; echo "${variables}" > '${dir}.txt'; echo "$ORBWEAVER_TEXT" > '${dir}.text'; echo stored`
}

function stored(): { readonly document: Notification; readonly variables: string; readonly text: string } {
  const read = (extension: string) => readFileSync(`${dir}.${extension}`, 'utf8')
  return { document: JSON.parse(read('json')), variables: read('txt').trim(), text: read('text').trim() }
}

/** Nothing listens there. */
const REFUSED = 'http://127.0.0.1:39999/'

/** Stops a crawl by Ctrl-C during its first request. */
async function interrupted(args: readonly string[]) {
  const run = new StartedOrbweaver(args)
  try {
    await run.says('round 1')
    await site.requested()
    run.kill('SIGINT')
    return await run.ended
  } finally {
    run.kill('SIGKILL')
    await run.ended
  }
}

describe('a command of --on-finish', () => {
  it('gets the document and the variables after a crawl', async () => {
    site.allow(3)
    const { exitCode, stdout, stderr } = await runOrbweaver(crawl(site.url, storing(), '--json'))
    expect(exitCode).toBe(0)
    const result = JSON.parse(stdout)
    const { document, variables, text } = stored()
    expect(document).toMatchObject({
      ...{ event: 'finished', crawl: dir, reason: 'nothing due', exitCode: 0, result },
      ...{ command: 'crawl', counts: { pages: 3 }, report: { totals: { pages: 3 } } },
    })
    expect(document).toMatchObject({ text })
    expect(variables).toBe(`finished|${dir}|nothing due|3|0`)
    expect(stderr).toContain('stored\n')
  })

  it('runs after Ctrl-C', async () => {
    const { exitCode, stdout } = await interrupted(crawl(site.url, storing()))
    expect(exitCode).toBe(3)
    expect(stdout).toContain('Resume with: ')
    expect(stored().document).toMatchObject({ event: 'finished', reason: 'interrupted', exitCode: 3 })
    expect(stored().variables).toBe(`finished|${dir}|interrupted|0|3`)
  })

  it('runs after a crawl that fetched nothing', async () => {
    const { exitCode } = await runOrbweaver(crawl(REFUSED, storing()))
    expect(exitCode).toBe(3)
    expect(stored().document).toMatchObject({ exitCode: 3, result: { error: { code: 'NOTHING_FETCHED' } } })
    expect(stored().variables).toMatch(/\|0\|3$/)
  })

  it('runs after an error', async () => {
    const { exitCode, stderr } = await runOrbweaver(crawl(join(folder, 'missing.txt'), storing()))
    expect(exitCode).toBe(2)
    expect(stderr).toMatch(/^error: .*missing\.txt/m)
    expect(stored().document).toMatchObject({ exitCode: 2, error: { message: expect.any(String) } })
  })

  it('does not change the exit code if it fails', async () => {
    site.allow(3)
    const { exitCode, stderr } = await runOrbweaver(crawl(site.url, 'exit 5'))
    expect(exitCode).toBe(0)
    expect(stderr).toMatch(/^warning: the notification finished could not be sent .*5/m)
  })
})

describe('a webhook of --on-finish', () => {
  it('gets the document after a crawl', async () => {
    site.allow(3)
    const { exitCode } = await runOrbweaver(crawl(site.url, webhook))
    expect(exitCode).toBe(0)
    expect(received).toMatchObject([{ document: { event: 'finished', exitCode: 0, counts: { pages: 3 } } }])
    expect(received[0]?.type).toMatch(/^application\/json/)
  })

  it('gets the document after Ctrl-C', async () => {
    const { exitCode } = await interrupted(crawl(site.url, webhook))
    expect(exitCode).toBe(3)
    expect(received).toMatchObject([{ document: { reason: 'interrupted', exitCode: 3 } }])
  })

  it('gets the document after a crawl that fetched nothing', async () => {
    expect((await runOrbweaver(crawl(REFUSED, webhook))).exitCode).toBe(3)
    expect(received).toMatchObject([
      { document: { exitCode: 3, result: { error: { code: 'NOTHING_FETCHED' } } } },
    ])
  })

  it('is called three times if it fails, and does not change the exit code', async () => {
    site.allow(3)
    status = 500
    const { exitCode, stderr } = await runOrbweaver(crawl(site.url, webhook))
    expect(exitCode).toBe(0)
    expect(received).toHaveLength(3)
    expect(stderr).toMatch(/^warning: the notification finished could not be sent .*500/m)
  })
})
