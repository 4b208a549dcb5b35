import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { command, commandJson, DemoCrawls } from '../../testing/command-line.ts'
import { RecordingTerminal } from '../../testing/recording-terminal.ts'
import { run } from './main.ts'

let crawls: DemoCrawls
let dir: string
let other: string

beforeAll(async () => {
  crawls = await DemoCrawls.start()
  dir = await crawls.crawl('crawl')
  other = crawls.path('other')
  await command(['inject', other, 'http://other.test/'])
})

afterAll(() => crawls.close())

const NOTHING = 'error: interrupted; nothing was changed'

/** All tables and segments of the crawl. */
async function state(): Promise<unknown> {
  const tables = ['crawldb', 'inlinks', 'hostdb']
  const rows = []
  for (const table of tables)
    rows.push(await commandJson(['readdb', dir, '--sql', `SELECT * FROM ${table} ORDER BY ALL`]))
  return [rows, readdirSync(join(dir, 'segments'))]
}

/** Runs a command that was interrupted before it has opened the crawl. */
async function interrupted(args: readonly string[]): Promise<{ exitCode: number; stderr: string }> {
  const terminal = new RecordingTerminal()
  terminal.interrupt()
  return { exitCode: await run(args, terminal), stderr: terminal.stderr }
}

describe('a command that is interrupted', () => {
  it.each([
    ['inject', ['http://new.test/']],
    ['freegen', ['http://new.test/']],
    ['generate', ['--add-days', '100']],
    ['invertlinks', ['--internal']],
    ['dedup', []],
    ['dedup', ['--near', '--mark']],
    ['mergesegs', ['--delete']],
    ['webgraph', []],
    ['linkrank', []],
    ['updatehostdb', ['--rebuild']],
  ] as const)('%s %j changes nothing, says so, and can be run again', async (name, args) => {
    const before = await state()
    expect(await interrupted([name, dir, ...args])).toEqual({
      exitCode: 3,
      stderr: expect.stringContaining(NOTHING),
    })
    expect(await state()).toEqual(before)
    expect(readdirSync(dir)).not.toContain('lock')
  })

  it.each(['mergedb', 'mergelinkdb'])('%s changes nothing, says so, and can be run again', async (name) => {
    const before = await state()
    expect(await interrupted([name, dir, other])).toEqual({
      exitCode: 3,
      stderr: expect.stringContaining(NOTHING),
    })
    expect(await state()).toEqual(before)
  })

  it.each(['jsonl', 'parquet', 'warc', 'chunks'])('export --format %s writes no file', async (format) => {
    const out = crawls.path(`pages.${format}`)
    expect(await interrupted(['export', dir, '--format', format, '--out', out])).toEqual({
      exitCode: 3,
      stderr: `error: interrupted; ${out} was not written: run the command again\n`,
    })
    expect(readdirSync(crawls.folder).filter((name) => name.startsWith('pages.'))).toEqual([])
  })

  it('index resumes when it is run again', async () => {
    const terminal = new RecordingTerminal()
    terminal.interrupt()
    expect(await run(['index', dir], terminal)).toBe(3)
    expect((await command(['index', dir])).exitCode).toBe(0)
  })
})

it.each(['inject', 'crawl'])(
  '%s stops while it waits for standard input, and removes its temporary files',
  async (name) => {
    const path = crawls.path(`waiting-${name}`)
    const input = new PassThrough()
    class WaitingTerminal extends RecordingTerminal {
      override readonly input = input
    }
    const terminal = new WaitingTerminal()
    const running = run([name, path, '-'], terminal)
    // Resolves when the command has read it, and waits for more.
    await new Promise<void>((resolve) => input.write('http://a.test/\n', () => resolve()))
    terminal.interrupt()
    expect(await running).toBe(3)
    expect(terminal.stderr).toBe(`${NOTHING}: run the command again\n`)
    expect(existsSync(join(path, '.tmp'))).toBe(false)
    expect(await commandJson(['readdb', path, '--stats'])).toMatchObject({ total: 0 })
  },
)
