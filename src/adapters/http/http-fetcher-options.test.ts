import { expect, it } from 'vitest'
import { connectionLimit } from './http-fetcher-options.ts'

const limits = (files: string) => () =>
  `Limit                     Soft Limit           Hard Limit           Units\nMax open files            ${files}              1048576              files\n`

it.each([
  ['plenty', '1048576', 4_000],
  ['few', '1024', 724],
  ['hardly any', '256', 100],
  ['any number', 'unlimited', 1_000],
])('of a process that may have %s files open', (_, files, connections) => {
  expect(connectionLimit(limits(files))).toBe(connections)
})

it('is moderate where the system does not say', () => {
  expect(connectionLimit(() => '')).toBe(1_000)
})
