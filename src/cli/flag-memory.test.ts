import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Command } from 'commander'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { RecordingTerminal } from '../../testing/recording-terminal.ts'
import { settingsFile } from '../adapters/crawl-directory/settings-file.ts'
import { addForgetOption, FlagMemory, type FlagPolicy } from './flag-memory.ts'
import { collected, headerField, positiveNumber, wholeNumber } from './option-values.ts'
import { resumeLine } from './resume-command.ts'

const POLICY: FlagPolicy = {
  command: 'crawl',
  shaping: new Set([
    ...[
      '--scope',
      '--depth',
      '--no-http2',
      '--allow-host',
      '--header',
      '--proxy',
      '--config',
      '--rules',
      '--index',
    ],
  ]),
  limits: new Set(['--max-pages', '--max-time']),
}

let dir: string
let terminal: RecordingTerminal

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'orbweaver-memory-'))
  terminal = new RecordingTerminal()
})

afterEach(() => rmSync(dir, { recursive: true }))

interface Run {
  readonly memory: FlagMemory
  readonly options: Record<string, unknown>
}

/** Parses the arguments and recalls what the directory remembers. */
async function start(...args: string[]): Promise<Run> {
  const command = addForgetOption(
    new Command('crawl')
      .option('--scope <scope>')
      .option('--depth <n>', '', wholeNumber)
      .option('--max-pages <n>', '', positiveNumber)
      .option('--max-time <minutes>')
      .option('--no-http2')
      .option('--index')
      .option('--allow-host <host>', '', collected)
      .option('--header <field>', '', headerField)
      .option('--proxy <url>')
      .option('--config <file>')
      .option('--rules <file>')
      .option('--log-file <file>')
      .option('--json', '', false),
  )
  command.parse(args, { from: 'user' })
  const memory = new FlagMemory(command, args, POLICY)
  await memory.recall(dir, terminal)
  return { memory, options: command.opts() }
}

/** A run from its start to its end. */
async function run(ended: 'interrupted' | 'done', pages: number, ...args: string[]): Promise<Run> {
  const started = await start(...args)
  await started.memory.store(dir, {})
  await started.memory.end(dir, {}, { isInterrupted: ended === 'interrupted', pages, items: 0 })
  return started
}

it('uses the flags of the last run, and says which', async () => {
  await run(
    'done',
    9,
    '--scope',
    'domain',
    '--depth',
    '3',
    '--no-http2',
    '--allow-host',
    'a',
    '--allow-host',
    'b',
  )
  const { options } = await start()
  expect(options).toMatchObject({ scope: 'domain', depth: 3, http2: false, allowHost: ['a', 'b'] })
  expect(terminal.stderr).toBe(
    'using --scope domain --depth 3 --no-http2 --allow-host a --allow-host b from the last run; --forget-settings drops them\n',
  )
})

it('replaces a remembered flag by the one that is given, and keeps the others', async () => {
  await run('done', 9, '--depth', '3', '--allow-host', 'a', '--scope', 'any')
  await run('done', 9, '--depth', '5', '--allow-host', 'b')
  expect((await start()).options).toMatchObject({ depth: 5, allowHost: ['b'], scope: 'any' })
})

it('forgets all with --forget-settings', async () => {
  await run('done', 9, '--depth', '3', '--index')
  const { options } = await run('done', 9, '--scope', 'any', '--forget-settings')
  expect(options).not.toHaveProperty('depth')
  expect((await start()).options).not.toHaveProperty('depth')
  expect((await start()).options).toMatchObject({ scope: 'any' })
})

it('continues the limit of an interrupted run with what is left of it', async () => {
  await run('interrupted', 200, '--max-pages', '500')
  const { options } = await run('interrupted', 100)
  expect(options).toMatchObject({ maxPages: 300 })
  expect(terminal.stderr).toContain('using --max-pages 500 (300 left) from the last run')
  expect((await run('done', 200)).options).toMatchObject({ maxPages: 200 })
  expect((await start()).options).not.toHaveProperty('maxPages')
})

it('counts anew for a limit that is given again', async () => {
  await run('interrupted', 200, '--max-pages', '500', '--max-time', '5')
  expect((await start('--max-pages', '500')).options).toMatchObject({ maxPages: 500, maxTime: '5' })
})

it('keeps the limit of a run that was killed', async () => {
  const { memory } = await start('--max-pages', '500')
  await memory.store(dir, {})
  expect((await start()).options).toMatchObject({ maxPages: 500 })
})

it('repeats in the resume command only flags that are not remembered', async () => {
  const flags = ['--scope', 'any', '--max-pages', '5', '--log-file', 'a b.log', '--json']
  const { memory } = await start(...flags)
  const line = (isInterrupted: boolean) =>
    resumeLine(terminal, ['crawl', 'my crawl'], memory.flagsToRepeat(isInterrupted)).line
  expect(line(true)).toBe(`orbweaver crawl 'my crawl' --log-file 'a b.log'`)
  expect(line(false)).toBe(`orbweaver crawl 'my crawl' --max-pages 5 --log-file 'a b.log'`)
})

it('repeats the remembered limit of an interrupted run that reached it when it was resumed', async () => {
  await run('interrupted', 2, '--max-pages', '5')
  const { memory } = await run('done', 3)
  expect(resumeLine(terminal, ['crawl', 'd'], memory.flagsToRepeat(false)).line).toBe(
    'orbweaver crawl d --max-pages 5',
  )
})

it('never stores a secret, shows a placeholder, and requires it in the next run', async () => {
  const flags = [
    '--proxy',
    'http://me:hunter2@p.test/',
    '--header',
    'Authorization: hunter2',
    '--header',
    'Accept: a/b',
    ...['--scope', 'any'],
  ]
  const { memory } = await start(...flags)
  await memory.store(dir, {
    http: { proxy: 'http://me:hunter2@p.test/', headers: { Authorization: 'hunter2', Accept: 'a/b' } },
  })
  const stored = readFileSync(settingsFile(dir), 'utf8')
  expect(stored).not.toContain('hunter2')
  expect(JSON.parse(stored)).toMatchObject({
    flags: [['--scope', 'any']],
    settings: { http: { headers: { Accept: 'a/b' } } },
  })
  expect(resumeLine(terminal, ['crawl', 'd'], memory.flagsToRepeat(true))).toEqual({
    line: `orbweaver crawl d --proxy '…' --header 'Authorization: …' --header 'Accept: a/b'`,
    hasSecret: true,
  })
  await start()
  expect(terminal.stderr).toContain('note: the last run also had --proxy, --header, which is not stored')
})

it('stores paths as absolute ones, and a configuration file only if it is not code', async () => {
  await run('done', 1, '--rules', 'rules.txt', '--config', 'orbweaver.config.ts')
  expect((await start()).options).toMatchObject({ rules: resolve('rules.txt') })
  expect((await start()).options).not.toHaveProperty('config')
  await run('done', 1, '--config', 'a.json')
  expect((await start()).options).toMatchObject({ config: resolve('a.json') })
})

it('does not use the flags of another command', async () => {
  await run('done', 1, '--scope', 'any')
  const other = JSON.parse(readFileSync(settingsFile(dir), 'utf8'))
  writeFileSync(settingsFile(dir), JSON.stringify({ ...other, command: 'run', spider: 'a.ts' }))
  expect((await start()).options).not.toHaveProperty('scope')
})

it('rejects a stored value that is not valid any more', async () => {
  await run('done', 1, '--depth', '3')
  const text = readFileSync(settingsFile(dir), 'utf8')
  writeFileSync(settingsFile(dir), text.replace('"3"', '"three"'))
  await expect(start()).rejects.toThrow(
    /settings\.json: --depth three: Give a whole number.*--forget-settings/,
  )
})
