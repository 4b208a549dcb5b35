import { Command } from 'commander'
import { expect, it } from 'vitest'
import { bareOptionsLast, OptionalValue } from './optional-value.ts'

const command = () =>
  new Command('push')
    .argument('<spider>')
    .argument('<urls...>')
    .option('--handler <name>', '')
    .option('--json', '')
    .addOption(new OptionalValue('--redis [url]', '', (text) => text.startsWith('redis:')))

const order = (line: string) => bareOptionsLast(command(), line.split(' ')).join(' ')

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

it('leaves a wrong value where the command has all its arguments, so that it is told of', () => {
  expect(order('books u1 --redis localhost')).toBe('books u1 --redis localhost')
})
