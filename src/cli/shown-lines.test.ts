import { expect, it } from 'vitest'
import { printableLines } from './format-values.ts'

it('keeps lines and their indentation, and nothing that could act on a terminal', () => {
  expect(printableLines('a\x1b[31m\n    at b\r\x07 \n\n{\n  c: 1\n}')).toBe(
    'a [31m\n    at b\n\n{\n  c: 1\n}',
  )
})

it('cuts a line that has no end', () => {
  expect(printableLines(`${'x'.repeat(5_000)}\ny`).length).toBeLessThan(2_010)
})
