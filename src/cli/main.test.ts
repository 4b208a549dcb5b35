import { beforeEach, expect, it } from 'vitest'
import { RecordingTerminal } from '../../testing/recording-terminal.ts'
import { run } from './main.ts'

let terminal: RecordingTerminal

beforeEach(() => {
  terminal = new RecordingTerminal()
})

it.each([[[]], [['--help']], [['help']]])('lists the commands by group for %j', async (args) => {
  expect(await run(args, terminal)).toBe(0)
  expect(terminal.stdout).toContain('Usage: orbweaver')
  expect(terminal.stdout).toMatch(/\nSpiders:\n(?: {2}.*\n)* {2}run +Run a spider/)
  expect(terminal.stdout).toContain('Start here:')
})

it('prints its version', async () => {
  expect(await run(['--version'], terminal)).toBe(0)
  expect(terminal.stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
})

it.each([[['check', '--help']], [['help', 'check']]])(
  'shows options, defaults and exit codes for %j',
  async (args) => {
    expect(await run(args, terminal)).toBe(0)
    expect(terminal.stdout).toContain('--rules <file>')
    expect(terminal.stdout).toContain('ORBWEAVER_AGENT')
    expect(terminal.stdout).toContain('Exit codes')
  },
)

it.each([
  [['chek', 'http://a.test/'], "unknown command 'chek'"],
  [['check'], "missing required argument 'url'"],
  [['crawl', '', 'http://a.test/'], 'the name of the crawl directory is empty'],
  [['run', 'spider.ts', '--dir', ''], 'the name of the crawl directory is empty'],
  [['crawl', 'http://a.test/'], 'orbweaver crawl my-crawl http://a.test/'],
  [['inject', 'http://a.test/', 'http://b.test/'], 'the crawl directory is missing: put one before the URL'],
  [['run', 'spider.ts', '--dir', 'http://a.test/'], '--dir http://a.test/ is a URL: give a directory'],
  [['check', '--nonsense', 'http://a.test/'], "unknown option '--nonsense'"],
  [['check', '--delay', 'soon', 'http://a.test/'], 'Give a number of seconds'],
  [['check', '--max-bytes', '10x', 'http://a.test/'], 'Give a size in bytes'],
  [['check', '--header', 'no colon', 'http://a.test/'], 'Give a header as "Name: value"'],
  [['check', '--agent', 'two words', 'http://a.test/'], 'agent.name is "two words"'],
  [['check', '--rules', '/no/such/file', 'http://a.test/'], 'cannot read the rule file'],
  [['check', 'a.test'], 'did you mean https://a.test/'],
  [['check', 'ftp://a.test/'], 'ftp: is not http: or https:'],
])('rejects %j with one line and exit code 2', async (args, message) => {
  expect(await run(args, terminal)).toBe(2)
  expect(terminal.stdout).toBe('')
  expect(terminal.stderr).toContain(message)
  expect(terminal.stderr.replace(/\(Did you mean .*\n/, '').match(/\n/g)).toHaveLength(1)
})

it('suggests the nearest command', async () => {
  expect(await run(['crwl'], terminal)).toBe(2)
  expect(terminal.stderr).toContain('(Did you mean crawl?)')
})

it('wraps help at the width of the terminal', async () => {
  const narrow = new RecordingTerminal()
  Object.assign(narrow, { columns: 60 })
  await run(['clear', '--help'], narrow)
  const lines = narrow.stdout.split('\n').filter((line) => !/^ |^$/.test(line))
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(60)
})
