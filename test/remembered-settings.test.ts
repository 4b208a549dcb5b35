import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { run } from '../src/cli/main.ts'
import { command, commandJson, DemoCrawls, QUICK } from '../testing/command-line.ts'
import { QUOTE_PAGES, QuoteSite } from '../testing/quote-site.ts'
import { RecordingTerminal } from '../testing/recording-terminal.ts'

let crawls: DemoCrawls
let site: QuoteSite
let dir: string
let tests = 0

beforeAll(async () => {
  crawls = await DemoCrawls.start()
  site = await QuoteSite.start()
})

afterAll(async () => {
  await crawls.close()
  await site.close()
})

beforeEach(() => {
  dir = crawls.path(`remembered-${++tests}`)
  site.onRequested = () => {}
  site.web.judge.reset()
})

describe('crawl', () => {
  it('gives the commands of the cycle the same filters', async () => {
    const rules = crawls.path('no-orb.txt')
    writeFileSync(rules, '-/webs\n+.\n')
    await command(['crawl', dir, crawls.web.url('orb', '/'), '--rules', rules, '--rounds', '1', ...QUICK])
    await command(['inject', dir, crawls.web.url('orb', '/webs/'), '--no-filter'])
    const generated = await commandJson<{ rejected: object }>(['generate', dir])
    expect(generated.rejected).toEqual({ filtered: 1 })
    const { stdout } = await command(['explain', dir, crawls.web.url('orb', '/webs/')])
    expect(stdout).toMatch(/^filter +rejected by .*no-orb\.txt:1 -\/webs/m)
  })

  it('resumes with the flags of the interrupted run, and continues its limit', async () => {
    const terminal = new RecordingTerminal()
    terminal.interrupt()
    await command(['inject', dir, crawls.web.url('home', '/')])
    const flags = ['--max-pages', '3', '--depth', '1', ...QUICK]
    expect(await run(['crawl', dir, ...flags], terminal)).toBe(3)
    expect(terminal.stdout).toContain(`Resume with: orbweaver crawl ${dir}\n`)
    const resumed = await command(['crawl', dir])
    expect(resumed.stderr).toMatch(
      /^using --depth 1 --delay 0 .*--max-pages 3 from the last run; --forget-settings drops them$/m,
    )
    expect(resumed.stdout).toMatch(/^3 pages .*stopped: --max-pages reached$/m)
    expect(resumed.stdout).toContain(`Resume with: orbweaver crawl ${dir} --max-pages 3\n`)
    const { stderr, stdout } = await command(['crawl', dir])
    expect(stderr).not.toContain('--max-pages')
    expect(stdout).toContain('finished: no URL is due')
  })

  it('is not remembered by a run that is refused, as another one holds the lock', async () => {
    await command(['crawl', dir, crawls.web.url('home', '/'), '--rounds', '1', ...QUICK])
    const before = readFileSync(join(dir, 'settings.json'), 'utf8')
    const { withCrawl } = await import('../src/wiring/crawl-session.ts')
    await withCrawl({ dir, command: 'fetch' }, async () => {
      expect((await command(['crawl', dir, '--depth', '9'])).exitCode).toBe(3)
    })
    expect(readFileSync(join(dir, 'settings.json'), 'utf8')).toBe(before)
  })

  it.each(['crawl', 'generate', 'readdb'])('%s rejects a damaged file', async (name) => {
    await command(['inject', dir, crawls.web.url('home', '/')])
    writeFileSync(join(dir, 'settings.json'), '{"version":1')
    const { exitCode, stderr } = await command([name, dir])
    expect(exitCode).toBe(2)
    expect(stderr).toMatch(/^error: .*settings\.json is damaged: .*delete the file/)
  })

  it('replaces a damaged file with --forget-settings', async () => {
    await command(['inject', dir, crawls.web.url('home', '/')])
    writeFileSync(join(dir, 'settings.json'), '')
    expect((await command(['crawl', dir, '--forget-settings', '--rounds', '1', ...QUICK])).exitCode).toBe(0)
    expect((await command(['readdb', dir])).exitCode).toBe(0)
  })
})

describe('run --dir', () => {
  it('remembers the exports and the limit of an interrupted run', async () => {
    const spider = site.quotes('remembered')
    const out = site.path('remembered.jsonl')
    const terminal = new RecordingTerminal()
    site.onRequested = (page) => {
      if (page === 2) terminal.interrupt()
    }
    expect(
      await run(['run', spider, '--dir', dir, '--out', out, '--max-pages', String(QUOTE_PAGES)], terminal),
    ).toBe(3)
    expect(terminal.stdout).toContain(`Resume with: orbweaver run ${spider} --dir ${dir}\n`)
    const { exitCode, stderr, stdout } = await command(['run', spider, '--dir', dir])
    expect(exitCode).toBe(0)
    expect(stderr).toMatch(
      new RegExp(`^using --out ${out} --max-pages ${QUOTE_PAGES} \\(\\d+ left\\) from the last run`, 'm'),
    )
    expect(stdout).toContain(`items written to ${out}\n`)
    expect(site.requested.length).toBe(QUOTE_PAGES)
  })

  it('does not use the flags of another spider', async () => {
    const out = site.path('other.jsonl')
    await command(['run', site.quotes('one'), '--dir', dir, '--out', out])
    const { stderr } = await command(['run', site.quotes('two'), '--dir', dir])
    expect(stderr).not.toContain('from the last run')
  })
})
