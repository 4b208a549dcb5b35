import { expect, it } from 'vitest'
import { shownLines } from './shown-lines.ts'

it('keeps lines and their indentation, and nothing that could act on a terminal', () => {
  expect(shownLines('a\x1b[31m\n    at b\r\x07 \n\n{\n  c: 1\n}')).toBe('a [31m\n    at b\n\n{\n  c: 1\n}')
})

it('cuts a line that has no end', () => {
  expect(shownLines(`${'x'.repeat(5_000)}\ny`).length).toBeLessThan(2_010)
})
