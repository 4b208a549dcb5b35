import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CommandProcess, runCommand } from './command-process.ts'
import { readCrawlState } from './crawl-state.ts'
import { AT_WORK } from './die-at-step.ts'
import { type SmallWeb, startSmallWeb } from './small-web.ts'

let folder: string
let seeds: string
let web: SmallWeb

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-crash-'))
  web = await startSmallWeb(30)
  seeds = join(folder, 'seeds')
  writeFileSync(seeds, web.seedLines.join('\n'))
})

afterAll(async () => {
  await web.close()
  rmSync(folder, { recursive: true })
})

describe('the lock', () => {
  it('keeps a second crawl out, with the pid and start of the first', async () => {
    const dir = join(folder, 'locked')
    const first = new CommandProcess(['crawl', dir, seeds, '--delay', '0.2'])
    try {
      await first.says('round 1')
      for (const command of [
        ['crawl', dir, seeds],
        ['updatedb', dir],
      ]) {
        const { exitCode, stderr } = await runCommand(command)
        expect(exitCode).toBe(3)
        expect(stderr).toMatch(
          new RegExp(`error: .*lock is held by pid ${first.pid} .*since \\d{4}-.*"crawl"`),
        )
      }
      expect(await runCommand(['readdb', dir, '--json'])).toMatchObject({
        exitCode: 0,
        stdout: expect.stringContaining('"db_unfetched"'),
      })
    } finally {
      first.kill('SIGKILL')
      await first.ended
    }
  })

  it('is taken over from a process that was killed', async () => {
    const dir = join(folder, 'killed')
    const first = new CommandProcess(['crawl', dir, seeds, '--delay', '0.2'])
    await first.says('round 1')
    first.kill('SIGKILL')
    await first.ended
    expect(await runCommand(['readdb', dir])).toMatchObject({ exitCode: 0 })
    expect(await runCommand(['updatedb', dir])).toMatchObject({ exitCode: 1 })
  })
})

describe('Ctrl-C', () => {
  it('ends a fetch cleanly, and the same command continues', async () => {
    const dir = join(folder, 'fetch')
    await runCommand(['inject', dir, seeds])
    await runCommand(['generate', dir])
    const first = new CommandProcess(['fetch', dir, '--delay', '0.2', '--redirect-max', '0'])
    await first.says(AT_WORK)
    await web.nextRequestOf('')
    first.kill('SIGINT')
    const { exitCode, stdout } = await first.ended
    expect(exitCode).toBe(3)
    expect(stdout).toMatch(
      /; interrupted\n(?:slowest hosts:\n(?: .*\n)+)?Resume with: orbweaver fetch \S+ \d{14}.*\n/,
    )
    const [before] = (await readCrawlState(dir)).segments
    expect(before?.rows.length).toBeGreaterThan(0)
    expect(before?.remaining.length).toBeGreaterThan(0)

    expect(await runCommand(['fetch', dir, '--delay', '0', '--redirect-max', '0'])).toMatchObject({
      exitCode: 0,
    })
    const [after] = (await readCrawlState(dir)).segments
    expect(after?.rows).toEqual([...new Set(after?.rows)])
    expect(after?.remaining).toEqual([])
  })

  it('ends a crawl cleanly, and the same command continues', async () => {
    const dir = join(folder, 'crawl')
    const first = new CommandProcess(['crawl', dir, seeds, '--delay', '0.2', '--rounds', '1'])
    await first.says('round 1')
    await web.nextRequestOf('')
    first.kill('SIGINT')
    const { exitCode, stdout } = await first.ended
    expect(exitCode).toBe(3)
    expect(stdout).toMatch(/; interrupted\n/)
    expect(stdout).toContain(`Resume with: orbweaver crawl ${dir}\n`)

    expect(await runCommand(['crawl', dir, '--delay', '0'])).toMatchObject({ exitCode: 0 })
    const { segments } = await readCrawlState(dir)
    const rows = segments.flatMap((segment) => segment.rows)
    expect(rows.sort()).toEqual([...new Set(rows)].sort())
    expect(segments.flatMap(({ remaining }) => remaining)).toEqual([])
  })
})
