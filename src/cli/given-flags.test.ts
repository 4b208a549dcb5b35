import { Command } from 'commander'
import { expect, it } from 'vitest'
import { givenFlags } from './given-flags.ts'

const command = new Command('crawl')
  .argument('[words...]')
  .option('--scope <scope>')
  .option('--no-http2')
  .option('--cache [folder]')
  .option('-x, --extra <value>')

it.each([
  [['dir', '--scope', 'domain', 'seed'], [['--scope', 'domain']]],
  [
    ['--scope=a=b', '--no-http2'],
    [['--scope', 'a=b'], ['--no-http2']],
  ],
  [['--scope', '--no-http2'], [['--scope', '--no-http2']]],
  [
    ['--cache', '--scope', 'any'],
    [['--cache'], ['--scope', 'any']],
  ],
  [['--cache', 'folder'], [['--cache', 'folder']]],
  [['-x', '1'], [['--extra', '1']]],
  [['--', '--scope', 'any'], []],
])('finds in %j the flags %j', (args, expected) => {
  const flags = givenFlags(command, args).map(({ name, value }) =>
    value === undefined ? [name] : [name, value],
  )
  expect(flags).toEqual(expected)
})
