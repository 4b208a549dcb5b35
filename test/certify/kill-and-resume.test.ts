import { globSync, statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { requestLogFiles } from '../../src/adapters/crawl-directory/request-log-reader.ts'
import { certifyCrawl } from '../../src/wiring/certify-crawl.ts'
import { type SyntheticWeb, startSyntheticWeb } from '../../testing/synthetic-web.ts'
import { CommandProcess } from '../crash/command-process.ts'

const DELAY_MS = 40
const KILLS = 2
const TIMEOUT_MS = 300_000

/** Number of log files with a first flush. */
function flushedLogs(directory: string): number {
  return globSync(join(directory, 'requests', '*')).filter((file) => statSync(file).size > 0).length
}

let folder: string
let web: SyntheticWeb
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'orbweaver-certify-kill-'))
  web = await startSyntheticWeb({ hosts: 6, pages: 300 })
})
afterAll(async () => {
  await web.close()
  await rm(folder, { recursive: true, force: true })
})

it(
  'agrees with the judge after a crawl was killed twice and resumed, except for the last second before a kill',
  async () => {
    const directory = join(folder, 'crawl')
    const args = [
      'crawl',
      directory,
      ...web.seeds,
      '--delay',
      String(DELAY_MS / 1000),
      '--email',
      'test@example.org',
    ]
    for (let kill = 0; kill < KILLS; kill++) {
      const before = web.requested.length
      const running = new CommandProcess(args)
      // In the middle of the crawl, and not before the first flush of the log.
      while (web.requested.length < before + 60 || flushedLogs(directory) <= kill)
        await Promise.race([sleep(20), running.ended])
      running.kill('SIGKILL')
      expect((await running.ended).exitCode).toBeNull()
    }
    expect((await new CommandProcess(args).ended).exitCode).toBe(0)

    const sites = [...web.sites.values()]
    const slow = sites.flatMap(({ plan: { host, robots } }) =>
      robots.crawlDelaySeconds === undefined ? [] : [[host, { minGapMs: robots.crawlDelaySeconds * 1000 }]],
    )
    const perHost = Object.fromEntries(slow)
    expect(web.judge.violations({ minGapMs: DELAY_MS, maxRepeats: 1_000, perHost })).toEqual([])
    const certificate = await certifyCrawl(directory)
    expect(certificate.hosts.flatMap(({ violations }) => violations)).toEqual([])
    expect(certificate.notes.map(({ code }) => code)).toEqual(['LOG_NOT_CLOSED', 'LOG_NOT_CLOSED'])
    expect(certificate.crawlers).toMatchObject([{ processes: KILLS + 1 }])

    // Every request that the judge saw is in the log, unless it came after the last flush of a process that was killed.
    const logged = new Map<string, number>()
    for (const file of await requestLogFiles(directory))
      for await (const { entries } of file.batches())
        for (const entry of entries)
          if (entry.type === 'open' || (entry.type === 'request' && entry.id === undefined))
            logged.set(entry.url, (logged.get(entry.url) ?? 0) + 1)
    const missing = web.judge.hits.filter(({ host, path }) => {
      const url = `http://${host}:${new URL(web.seeds[0] ?? '').port}${path}`
      const left = logged.get(url) ?? 0
      logged.set(url, left - 1)
      return left <= 0
    })
    expect([...logged.values()].every((left) => left <= 0)).toBe(true)
    const seen = web.judge.verdicts()
    for (const { host, requests } of certificate.hosts)
      expect(requests).toBeLessThanOrEqual(seen.get(host)?.hits ?? 0)
    // About a second of six hosts with a delay of 40 ms, for each kill; usually far fewer.
    expect(missing.length).toBeLessThan(KILLS * 6 * (1_500 / DELAY_MS))
    expect(certificate.requests + missing.length).toBe(web.judge.hits.length)
  },
  TIMEOUT_MS,
)
