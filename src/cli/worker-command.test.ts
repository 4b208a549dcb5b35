import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { command, commandJson, DemoCrawls, QUICK } from '../../testing/command-line.ts'
import { RecordingTerminal } from '../../testing/recording-terminal.ts'
import { type RedisServer, startRedis } from '../../testing/redis-server.ts'
import type { FetchResult } from '../flows/cycle/fetch-result.ts'
import { run } from './main.ts'

let crawls: DemoCrawls
let redis: RedisServer
let dir: string
/** Options of both fetch and worker. */
let flags: string[]

beforeAll(async () => {
  crawls = await DemoCrawls.start()
  redis = await startRedis()
  dir = await crawls.crawl('crawl')
  flags = ['--redis', redis.address, ...QUICK]
})
afterAll(async () => {
  await redis.stop()
  await crawls.close()
})

async function newList(): Promise<void> {
  expect(await command(['generate', dir])).toMatchObject({ exitCode: 0 })
}

/** The processes that wrote the newest segment. */
function writers(): string[] {
  const segment = readdirSync(join(dir, 'segments')).sort().at(-1) ?? ''
  const parts = readdirSync(join(dir, 'segments', segment, 'crawl_fetch'))
  return [...new Set(parts.map((name) => name.replace(/^part-\d+-(.*)\.parquet$/, '$1')))]
}

it('fetches the list that another process offers, into the same segment', async () => {
  await newList()
  const [offered, worked] = await Promise.all([
    commandJson<FetchResult>(['fetch', dir, '--no-work', ...flags]),
    commandJson<{ segments: FetchResult[] }>(['worker', '--dir', dir, '--once', ...flags]),
  ])
  expect(offered.complete).toBe(true)
  expect(offered.statuses.fetch_success).toBeGreaterThan(3)
  expect(worked.segments).toMatchObject([{ segment: offered.segment, statuses: offered.statuses }])
  expect(writers()).toEqual([expect.stringMatching(/^w[0-9a-f]{12}$/)])
  const { exitCode, stdout } = await command(['updatedb', dir])
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining('merged')])
})

it('is optional: the process that offers a list fetches it, too, with the same report', async () => {
  await newList()
  const { exitCode, stdout, stderr } = await command(['fetch', dir, ...flags])
  expect(exitCode).toBe(0)
  expect(stdout).toMatch(/^segment \d{14}: \d+ fetched.*\n(?:.*\n)*[\d.]+ kB in .*\n/)
  expect(stderr).toMatch(/^offered as cycle-[0-9a-f]{12}; workers: orbweaver worker --dir/)
  expect(writers()).toEqual(['w0'])
  expect(await command(['fetch', dir, ...flags])).toMatchObject({ exitCode: 1 })
})

it('waits for a list until it is interrupted', async () => {
  const fresh = crawls.path('fresh')
  mkdirSync(fresh)
  for (const where of [dir, fresh]) {
    const terminal = new RecordingTerminal()
    const running = run(['worker', '--dir', where, ...flags], terminal)
    while (!terminal.stderr.includes('waiting for a fetch list: orbweaver fetch <dir>')) await sleep(5)
    terminal.interrupt()
    expect(await running).toBe(1)
    expect(terminal.stdout).toBe('no page was fetched\n')
  }
})

it('serves metrics while it waits', async () => {
  const terminal = new RecordingTerminal()
  const running = run(['worker', '--dir', dir, '--metrics', '0', ...flags], terminal)
  while (!terminal.stderr.includes('waiting for a fetch list')) await sleep(5)
  const [, url = ''] = /metrics: (\S+)/.exec(terminal.stderr) ?? []
  const metrics = await (await fetch(url)).text()
  expect(metrics).toContain(`orbweaver_crawl_info{crawl="${dir}",kind="cycle",command="worker"} 1\n`)
  terminal.interrupt()
  expect(await running).toBe(1)
  await expect(fetch(url)).rejects.toThrow('fetch failed')
})

it('exits when its fleet is drained', async () => {
  const { id } = JSON.parse(readFileSync(join(dir, 'fleet.json'), 'utf8')) as { id: string }
  const terminal = new RecordingTerminal()
  const running = run(['worker', '--dir', dir, ...flags], terminal)
  while (!terminal.stderr.includes('waiting for a fetch list')) await sleep(5)
  expect(await command(['drain', `cycle-${id}`, '--redis', redis.address])).toMatchObject({ exitCode: 0 })
  expect(await running).toBe(1)
  expect(await command(['resume', `cycle-${id}`, '--redis', redis.address])).toMatchObject({ exitCode: 0 })
})

it.each([
  ['worker --dir nowhere', 'there is no directory nowhere'],
  [
    'worker --dir DIR --min-pages-per-second 1',
    '--min-pages-per-second (minPagesPerSecond) is only for a fetch by one process',
  ],
  ['worker', "required option '--dir <dir>' not specified"],
  ['fetch DIR --no-work', '--no-work leaves the fetching to workers: add --redis'],
])('rejects %s with the reason', async (line, message) => {
  const args = line.replace('DIR', dir).split(' ')
  expect(await command(args)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(message) })
})
