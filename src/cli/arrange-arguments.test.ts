import { Command } from 'commander'
import { expect, it } from 'vitest'
import { idleContext } from '../../testing/idle-context.ts'
import { arrangeArguments, OptionalValueOption, RENAMED_OPTIONS } from './arrange-arguments.ts'
import { COMMANDS } from './commands.ts'

const command = () =>
  new Command('push')
    .argument('<spider>')
    .argument('<urls...>')
    .option('--handler <name>', '')
    .option('--json', '')
    .addOption(new OptionalValueOption('--redis [url]', '', (text) => text.startsWith('redis:')))

const order = (line: string) => arrangeArguments(command(), line.split(' ')).join(' ')

it.each([
  ['books u1 --redis', 'books u1 --redis'],
  ['--redis redis://h books u1', '--redis redis://h books u1'],
  ['--redis books u1 u2', 'books u1 u2 --redis'],
  ['books --redis u1', 'books u1 --redis'],
  ['--handler x --redis books --json u1', '--handler x books --json u1 --redis'],
  ['--redis --json books u1', '--json books u1 --redis'],
  ['--redis=redis://h books u1', '--redis=redis://h books u1'],
  ['books --redis -', 'books - --redis'],
  ['--redis books -- --odd', 'books --redis -- --odd'],
])('reads %s as %s', (line, meant) => {
  expect(order(line)).toBe(meant)
})

it('keeps an invalid value if the command has all its arguments, so that the error names it', () => {
  expect(order('books u1 --redis localhost')).toBe('books u1 --redis localhost')
})

it('replaces old names of options that the command has under a new name', () => {
  const fetch = new Command('fetch').option('--max-time <minutes>', '')
  expect(arrangeArguments(fetch, ['--time-limit', '5'])).toEqual(['--max-time', '5'])
  expect(arrangeArguments(fetch, ['--time-limit=5', '--crawl', 'x'])).toEqual([
    '--max-time=5',
    '--crawl',
    'x',
  ])
})

it('accepts every old name in the commands that have its new name', async () => {
  const accepted: Record<string, string[]> = {}
  for (const { name, load } of COMMANDS) {
    const loaded = (await load())(idleContext())
    const names = loaded.options.map(({ long }) => long)
    for (const [old, current] of Object.entries(RENAMED_OPTIONS)) {
      expect(names, `${name} ${old}`).not.toContain(old)
      if (!names.includes(current)) continue
      expect(arrangeArguments(loaded, [`${old}=1`])).toEqual([`${current}=1`])
      accepted[old] = [...(accepted[old] ?? []), name]
    }
  }
  expect(accepted).toEqual({
    '--time-limit': ['crawl', 'fetch', 'run', 'worker', 'mcp'],
    '--max-depth': ['crawl', 'run'],
    '--crawl': ['run', 'import-scrapy-redis'],
    '--no-norm': ['inject', 'generate', 'freegen'],
  })
})
