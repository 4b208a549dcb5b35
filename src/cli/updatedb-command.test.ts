import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { command, commandJson, DemoCrawls, QUICK } from '../../testing/command-line.ts'
import { RecordingTerminal } from '../../testing/recording-terminal.ts'
import { run } from './main.ts'

describe('updatedb and orphans', () => {
  let dir: string
  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'orbweaver-'))
    // Last linked in 1970, and a seed that was never linked.
    await command(['inject', dir, '-'], 'http://a.test/old\t_orphan_=1000\nhttp://a.test/seed\n')
  })
  afterEach(() => rmSync(dir, { recursive: true }))

  const statuses = async () =>
    (await commandJson<{ statuses: Record<string, number> }>(['readdb', dir, '--stats'])).statuses

  it('marks pages that no page links to, and removes them with --purge-orphans', async () => {
    writeFileSync(join(dir, 'orbweaver.config.json'), '{ "orphans": { "enabled": true } }')
    expect((await command(['updatedb', dir])).exitCode).toBe(0)
    expect(await statuses()).toEqual({ db_unfetched: 1, db_orphan: 1 })
    expect((await command(['updatedb', dir])).exitCode).toBe(1)
    expect(await command(['updatedb', dir, '--purge-orphans'])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('1 URL removed'),
    })
    expect(await statuses()).toEqual({ db_unfetched: 1 })
  })

  it('leaves them alone without the rule, and says what --purge-orphans needs', async () => {
    expect((await command(['updatedb', dir])).exitCode).toBe(1)
    expect(await statuses()).toEqual({ db_unfetched: 2 })
    expect(await command(['updatedb', dir, '--purge-orphans'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('orphans.enabled'),
    })
  })

  it('refuses times that do not fit together', async () => {
    const orphans = { enabled: true, goneAfterSeconds: 11, orphanAfterSeconds: 10 }
    writeFileSync(join(dir, 'orbweaver.config.json'), JSON.stringify({ orphans }))
    expect(await command(['updatedb', dir])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('goneAfterSeconds'),
    })
  })
})

async function generateAndFetch(dir: string): Promise<string> {
  const { segments } = await commandJson<{ segments: string[] }>(['generate', dir])
  await command(['fetch', dir, ...QUICK])
  return segments[0] ?? ''
}

describe('updatedb after a fetch', () => {
  let crawls: DemoCrawls
  beforeEach(async () => {
    crawls = await DemoCrawls.start()
  })
  afterEach(() => crawls.close())

  it('stops when interrupted, and merges the results when called again', async () => {
    const dir = crawls.path('crawl')
    await command(['inject', dir, '-'], crawls.web.url('bakery', '/'))
    const segment = await generateAndFetch(dir)
    const terminal = new RecordingTerminal()
    terminal.interrupt()
    expect(await run(['updatedb', dir, segment, '--abandon'], terminal)).toBe(3)
    expect(terminal.stdout).toContain('interrupted; 1 part not merged yet: run the command again')
    const merged = await commandJson<{ fetched: number }>(['updatedb', dir])
    expect(merged).toMatchObject({ fetched: 1, pending: { [segment]: 0 } })
  })

  it('gives the metadata of seeds to the pages they lead to, if links.inheritMetadata names it', async () => {
    const dir = crawls.path('crawl')
    const config = crawls.path('config.json')
    writeFileSync(config, '{ "links": { "inheritMetadata": ["topic"] } }')
    await command(['inject', dir, '-'], `${crawls.web.url('bakery', '/')}\ttopic=bread\tother=x\n`)
    await command(['crawl', dir, '--rounds', '3', '--config', config, ...QUICK])
    const sql =
      "select metadata ->> 'topic' as topic, metadata ->> 'other' as other, count(*) as n from crawldb group by all order by n"
    const rows = await commandJson<{ topic: string; other: string | null; n: number }[]>([
      'readdb',
      dir,
      '--sql',
      sql,
    ])
    expect(rows).toEqual([
      { topic: 'bread', other: 'x', n: 1 },
      { topic: 'bread', other: null, n: expect.anything() },
    ])
    expect(Number(rows[1]?.n)).toBeGreaterThan(5)
  })
})
