import { expect, it } from 'vitest'
import { readUsageStatements } from './usage-statement.ts'

it.each([
  ['search=yes', 'search', 'allow'],
  ['ai-train=no', 'ai-train', 'disallow'],
  ['Train-AI = N', 'train-ai', 'disallow'],
  ['train-ai="y"', 'train-ai', 'allow'],
  ['train-ai=n;x=1', 'train-ai', 'disallow'],
  ['*=n', '*', 'disallow'],
])('reads %s', (text, category, preference) => {
  expect(readUsageStatements(text)).toEqual([{ category, preference, text }])
})

it('reads every member of a list, conflicting ones too', () => {
  expect(readUsageStatements(' a=y ,a=no').map(({ text }) => text)).toEqual(['a=y', 'a=no'])
})

it.each(['', '=n,,;', 'search', 'search=maybe', 'search=none', 'search=yn', '1=n'])(
  'takes nothing from %o',
  (text) => {
    expect(readUsageStatements(text)).toEqual([])
  },
)
