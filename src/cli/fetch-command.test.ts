import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { command, commandJson, DemoCrawls, QUICK } from '../../testing/command-line.ts'
import { RecordingTerminal } from '../../testing/recording-terminal.ts'
import type { SegmentInfo } from '../domain/segment/segment-store.ts'
import { run } from './main.ts'

let crawls: DemoCrawls
let dir: string

beforeAll(async () => {
  crawls = await DemoCrawls.start()
  dir = crawls.path('crawl')
  await command(['inject', dir, crawls.web.url('home', '/')])
})

afterAll(() => crawls.close())

async function segments(): Promise<readonly SegmentInfo[]> {
  return (await commandJson<{ segments: SegmentInfo[] }>(['readseg', dir, '--list'])).segments
}

/** The tests run the cycle in order: each depends on the one before. */
describe('the steps of the cycle', () => {
  it('fetch needs a segment', async () => {
    expect(await command(['fetch', dir, ...QUICK])).toMatchObject({
      exitCode: 2,
      stderr: 'error: there is no segment yet: make one with orbweaver generate\n',
    })
  })

  it('fetch --no-parse stores pages without parsing them', async () => {
    await command(['generate', dir])
    const { exitCode, stdout } = await command(['fetch', dir, '--no-parse', ...QUICK])
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/^segment \d{14}: 1 fetched\n[\d.]+ kB in .*\n$/)
    expect(await segments()).toMatchObject([{ generated: 1, fetched: 1, parsed: 0, complete: true }])
  })

  it('fetch exits with 1 if all pages are fetched', async () => {
    expect(await command(['fetch', dir, ...QUICK])).toMatchObject({
      exitCode: 1,
      stdout: 'every segment is fetched\n',
    })
    expect(await commandJson(['fetch', dir, ...QUICK])).toEqual({ segment: null })
  })

  it('parse parses each page once', async () => {
    const args = ['parse', dir, '--parse-threads', '0']
    const { exitCode, stdout } = await command(args)
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/: 1 parsed, 0 failed, 0 skipped\n$/)])
    expect(await command(args)).toMatchObject({ exitCode: 1, stdout: 'every page is parsed\n' })
  })

  it('updatedb merges the result and its links once', async () => {
    const { exitCode, stdout } = await command(['updatedb', dir])
    expect(exitCode).toBe(0)
    expect(stdout).toBe('1 fetch result and 6 links merged: 6 new URLs, 1 changed\n')
    expect(await command(['updatedb', dir])).toMatchObject({
      exitCode: 1,
      stdout: 'no new results\n',
    })
  })

  it('updatedb --again --no-additions merges again and adds no URL', async () => {
    expect(await commandJson(['updatedb', dir, '--again', '--no-additions'])).toMatchObject({
      parts: expect.any(Number) as number,
      added: 0,
    })
  })

  it('updatedb --filter and --normalize check known URLs; here all are accepted', async () => {
    expect(await commandJson(['updatedb', dir, '--filter', '--normalize'])).toMatchObject({ purged: 0 })
  })

  it('fetch stops when interrupted, and resumes when called again', async () => {
    await command(['generate', dir])
    const terminal = new RecordingTerminal()
    terminal.interrupt()
    expect(await run(['fetch', dir, ...QUICK], terminal)).toBe(3)
    expect(terminal.stdout).toMatch(
      /; interrupted\nResume with: orbweaver fetch .* \d{14} --delay 0 --parse-threads 0 --email test@localhost\n$/,
    )
    const { exitCode, stdout } = await command(['fetch', dir, ...QUICK])
    expect(exitCode).toBe(0)
    expect(stdout).toContain(' fetched')
    expect((await segments()).at(-1)).toMatchObject({ generated: 6, complete: true })
  })

  it('fetch writes a row for each URL that --max-time leaves unfetched', async () => {
    await command(['updatedb', dir])
    await command(['inject', dir, crawls.web.url('orb', '/'), crawls.web.url('orb', '/webs/')])
    await command(['generate', dir])
    const result = await commandJson<{ notReached: Record<string, number> }>([
      ...['fetch', dir, '--time-limit', '0', ...QUICK, '--delay', '5'],
    ])
    expect(result).toMatchObject({
      complete: true,
      notReached: { 'time limit': expect.any(Number) as number },
    })
  })

  it.each(['fetch', 'parse', 'updatedb', 'invertlinks', 'mergesegs', 'readseg'])(
    '%s names the segments when one is not there',
    async (name) => {
      const { exitCode, stdout, stderr } = await command([name, dir, `${dir}/segments/2020/`])
      expect([exitCode, stdout]).toEqual([2, ''])
      expect(stderr).toMatch(/^error: there is no segment 2020; there are \d{14}, .*\n$/)
    },
  )

  it('updatedb releases the URLs of a deleted fetch list', async () => {
    const lost = crawls.path('lost')
    await command(['inject', lost, crawls.web.url('orb', '/')])
    const { segments: made } = await commandJson<{ segments: string[] }>(['generate', lost])
    rmSync(join(lost, 'segments', made[0] ?? ''), { recursive: true })
    expect((await command(['generate', lost])).exitCode).toBe(1)
    expect(await commandJson(['updatedb', lost])).toMatchObject({ freed: 1 })
    expect(await commandJson(['generate', lost])).toMatchObject({ selected: 1 })
  })

  it('updatedb --abandon needs the names of segments', async () => {
    expect(await command(['updatedb', dir, '--abandon'])).toMatchObject({
      exitCode: 2,
      stderr: 'error: abandon (--abandon) needs the names of the segments\n',
    })
  })
})
