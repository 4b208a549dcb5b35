import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseContentType } from './content-type.ts'

it.each([
  ['text/html', { type: 'text/html' }],
  ['Text/HTML; Charset="UTF-8"', { type: 'text/html', charset: 'UTF-8' }],
  ['text/html;;charset==x', { type: 'text/html', charset: 'x' }],
  ["text/html; charset='utf-8'", { type: 'text/html', charset: 'utf-8' }],
  ['text/html; charset="utf-8', { type: 'text/html', charset: 'utf-8' }],
  ['text/html; charset=; charset=big5', { type: 'text/html', charset: 'big5' }],
  ['text/html; charset=a; charset=b', { type: 'text/html', charset: 'a' }],
  ['text/html;charset', { type: 'text/html' }],
  ['application/atom+xml; title="a;b, c"; charset=utf-8', { type: 'application/atom+xml', charset: 'utf-8' }],
])('reads %s', (value, expected) => {
  expect(parseContentType(value)).toEqual(expected)
})

it('takes the last type of a repeated field and keeps the charset of an equal one', () => {
  expect(parseContentType('text/plain, text/html')).toEqual({ type: 'text/html' })
  expect(parseContentType('text/html; charset=gbk, text/html')).toEqual({ type: 'text/html', charset: 'gbk' })
  expect(parseContentType('text/html; charset=gbk, ')).toEqual({ type: 'text/html', charset: 'gbk' })
})

it.each(['', 'html', ';charset=utf-8', 'text/', '/html', 'text html', '<script>/x'])(
  'finds no type in %j',
  (value) => {
    expect(parseContentType(value)).toBeUndefined()
  },
)

it('never throws', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', '/', ';', '=', '"', ',', ' ', 'charset', "'") }),
      (value) => {
        parseContentType(value)
      },
    ),
  )
})
