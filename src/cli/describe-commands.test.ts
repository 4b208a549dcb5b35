import { beforeAll, expect, it } from 'vitest'
import { idleContext } from '../../testing/idle-context.ts'
import { COMMANDS } from './commands.ts'
import { describeCommands } from './describe-commands.ts'
import type { DescribedCommand } from './described-command.ts'

let commands: readonly DescribedCommand[]
beforeAll(async () => {
  commands = await describeCommands(idleContext())
})

const find = (name: string) => commands.find((command) => command.name === name)
const option = (name: string, long: string) => find(name)?.options.find((one) => one.long === long)

it('describes every command, with its exit codes', () => {
  expect(commands.map(({ name }) => name)).toEqual(COMMANDS.map(({ name }) => name))
  for (const { notes, options } of commands) {
    expect(notes).toContain('Exit codes:\n  0  ')
    expect(options.map(({ long }) => long)).toContain('--help')
  }
})

it('knows which arguments are directories, files and choices', () => {
  expect(find('crawl')?.arguments).toEqual([
    { name: 'dir', isRequired: true, isVariadic: false, values: 'directories' },
    { name: 'seeds', isRequired: false, isVariadic: true, values: 'files' },
  ])
  expect(find('new')?.arguments.map(({ values }) => values)).toEqual([['spider'], 'none'])
})

it('knows the values of options', () => {
  expect(option('crawl', '--scope')).toEqual({
    long: '--scope',
    short: undefined,
    placeholder: '<scope>',
    values: ['host', 'domain', 'any'],
    description:
      'Follow links to the hosts of the seeds, to their domains, or to any host (choices: host, domain, any; default: host)',
    group: '',
  })
  expect(option('crawl', '--config')).toMatchObject({ placeholder: '<file>', values: 'files' })
  expect(option('run', '--redis')).toMatchObject({ placeholder: '[url]', values: 'none' })
  expect(option('crawl', '--no-http2')).toMatchObject({ placeholder: undefined, group: 'HTTP' })
})
