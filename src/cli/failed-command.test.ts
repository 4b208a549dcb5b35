import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { command, commandJson } from '../../testing/command-line.ts'
import { QuoteSite } from '../../testing/quote-site.ts'
import type { FailedRequest } from '../domain/frontier/dead-letters.ts'

/** Two pages that are not there, one whose handler throws. */
const FAILING = `*parse(page) {
  yield page.follow('/missing?a=1')
  yield page.follow('/missing', { method: 'POST', body: 'x' })
  yield page.follow('/page/2', 'throws')
},
handlers: {
  throws() { throw new Error('boom \\x1b[31m red') },
},`

interface Document {
  readonly total: number
  readonly codes: Record<string, number>
  readonly failed: FailedRequest[]
}

let site: QuoteSite
let spider: string
let dir: string

beforeAll(async () => {
  site = await QuoteSite.start()
  spider = site.quotes('failing', FAILING)
  dir = site.path('crawl')
  await command(['run', spider, '--dir', dir])
})

afterAll(() => site.close())

describe('failed', () => {
  it('counts by code, then shows each request with its reason', async () => {
    const { exitCode, stdout } = await command(['failed', dir])
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/^3 failed: 2 http-404, 1 handler-threw\n\ncode +tries +when +URL +reason\n/)
    expect(stdout).toMatch(/^http-404 +1 +\d{4}-.*Z +http:.*\/missing\?a=1 +the server returned 404$/m)
    expect(stdout).toMatch(/^http-404 .* POST http:.*\/missing +the server/m)
    expect(stdout).toMatch(/^handler-threw .*\/page\/2 +Error: boom {2}\[31m red$/m)
    expect(stdout).toMatch(new RegExp(`\nto requeue them: orbweaver failed ${dir} --retry\n$`))
    expect(stdout).not.toContain('\x1b')
  })

  it('shows where handlers threw with --stack', async () => {
    const { stdout } = await command(['failed', dir, '--stack'])
    expect(stdout).toMatch(/^ {8}at throws .*failing\.ts:\d+/m)
    expect(stdout).not.toContain('\x1b')
  })

  it.each([
    [['--code', 'http-404'], { total: 2, codes: { 'http-404': 2 } }],
    [['--host', '127.0.0.1'], { total: 3 }],
    [['--limit', '1'], { total: 3, failed: [expect.objectContaining({ attempts: 1 })] }],
  ])('lists what %j chooses', async (flags, expected) => {
    expect(await commandJson(['failed', dir, ...flags])).toMatchObject(expected)
  })

  it('gives programs the whole request', async () => {
    const { failed } = await commandJson<Document>(['failed', dir, '--code', 'http-404'])
    expect(failed.map(({ request }) => request)).toContainEqual(
      expect.objectContaining({ url: `${site.origin}/missing`, method: 'POST', body: 'x' }),
    )
  })

  it('says how many it does not list', async () => {
    const { stdout } = await command(['failed', dir, '--limit', '2'])
    expect(stdout).toContain('… and 1 more; use --limit to show them\n')
  })

  it.each([
    ['another host', ['--host', 'other.test']],
    ['another code', ['--code', 'http-500', '--retry']],
  ])('ends with 1 when nothing of %s has failed', async (_, flags) => {
    expect(await command(['failed', dir, ...flags])).toMatchObject({
      exitCode: 1,
      stdout: 'no matching request has failed\n',
    })
  })

  it('does not make a crawl of a misspelt directory', async () => {
    for (const flags of [[], ['--retry']])
      expect(await command(['failed', site.path('nowhere'), ...flags])).toMatchObject({ exitCode: 2 })
  })

  it('requeues the selected requests, and the next run fetches them', async () => {
    const retried = await command(['failed', dir, '--code', 'http-404', '--retry'])
    expect(retried).toMatchObject({
      exitCode: 0,
      stdout: `2 requests requeued; to continue: orbweaver run <file> --dir ${dir}\n`,
    })
    expect(await commandJson(['failed', dir])).toMatchObject({ total: 1 })
    site.web.judge.reset()
    await command(['run', spider, '--dir', dir])
    expect(site.requested.sort()).toEqual(['/missing', '/missing?a=1'])
    expect(await commandJson(['failed', dir])).toMatchObject({ total: 3 })
    expect(await commandJson(['failed', dir, '--retry', '--limit', '1'])).toEqual({ retried: 1 })
  })
})

it('reminds of --redis when there is no such directory and a Redis is configured', async () => {
  const nowhere = site.path('nowhere')
  expect((await command(['failed', nowhere])).stderr).not.toContain('Redis')
  process.env['ORBWEAVER_REDIS_URL'] = 'redis://127.0.0.1:1'
  try {
    expect(await command(['failed', nowhere])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(
        /there is no crawl in .*\. For the crawl of that name in Redis, add --redis\n$/,
      ),
    })
  } finally {
    delete process.env['ORBWEAVER_REDIS_URL']
  }
})

it('reports that no request has failed', async () => {
  const clean = site.path('clean')
  await command(['run', site.quotes('clean'), '--dir', clean])
  expect(await command(['failed', clean])).toMatchObject({ exitCode: 1, stdout: 'no request has failed\n' })
  expect(await command(['failed', clean, '--json'])).toMatchObject({ exitCode: 1 })
})

it('lists and requeues the requests of a spider that runs, as items and status read it', async () => {
  const running = site.path('running')
  const handler = `*parse(page) {
  yield page.item({ text: 'a quote', author: 'b' })
  yield page.follow('/missing?running')
  yield page.follow('/page/2', { notBefore: Date.now() + 3_600_000 })
},`
  const ended = command(['run', site.quotes('running', handler), '--dir', running])
  try {
    await expect
      .poll(() => commandJson<Document>(['failed', running]).catch(() => undefined), { timeout: 30_000 })
      .toMatchObject({ total: 1 })
    expect((await command(['items', running, '--out', '-'])).stdout).toBe('{"text":"a quote","author":"b"}\n')
    expect((await command(['status', running])).stdout).toMatch(/process {2}run running, .*\n/)
    const chosen = await command(['failed', running, '--retry', '--code', 'http-404'])
    expect(chosen).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('is being crawled') })
    site.web.judge.reset()
    expect(await command(['failed', running, '--retry'])).toMatchObject({
      exitCode: 0,
      stdout: '1 failed request is queued again\n',
    })
    await expect.poll(() => site.requested, { timeout: 30_000 }).toEqual(['/missing?running'])
  } finally {
    await command(['stop', running])
  }
  expect((await ended).stdout).toContain('interrupted')
})
