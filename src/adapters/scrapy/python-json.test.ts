import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parsePythonJson, pythonString, readPythonStat } from './python-json.ts'

describe('parsePythonJson', () => {
  it('reads the numbers that JSON has not as null', () => {
    expect(parsePythonJson('{"a": NaN, "b": [Infinity, -Infinity, -1]}')).toEqual({
      ok: true,
      value: { a: null, b: [null, null, -1] },
    })
  })

  it('leaves their names alone in text', () => {
    expect(parsePythonJson('["NaN", "\\"-Infinity", "\\\\", NaN]')).toEqual({
      ok: true,
      value: ['NaN', '"-Infinity', '\\', null],
    })
  })

  it.each(['', '{', '[1,]', 'nan', 'NaNNaN', '1 NaN', '"', '"\\', "{'a': 1}"])('refuses %j', (text) => {
    expect(parsePythonJson(text)).toMatchObject({ ok: false })
  })

  it('refuses what nests too deep to be walked', () => {
    expect(parsePythonJson('['.repeat(100) + ']'.repeat(100))).toMatchObject({ ok: true })
    expect(parsePythonJson('['.repeat(101) + ']'.repeat(101))).toMatchObject({ ok: false })
    expect(parsePythonJson('{"a":'.repeat(1_000_000))).toMatchObject({ ok: false })
  })

  it('reads all JSON as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        expect(parsePythonJson(text)).toEqual({ ok: true, value: JSON.parse(text) })
      }),
      { numRuns: 300 },
    )
  })

  it('never throws', () => {
    const pieces = fc.array(
      fc.constantFrom('{', '}', '[', ']', '"', '\\', ':', ',', 'NaN', '-', 'Infinity', '1', ' '),
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          pieces.map((parts) => parts.join('')),
        ),
        (text) => {
          expect(typeof parsePythonJson(text).ok).toBe('boolean')
        },
      ),
      { numRuns: 500 },
    )
  })
})

it('writes text as Python does: printable ASCII only', () => {
  expect(pythonString('é"\\\n\x7f😀')).toBe('"\\u00e9\\"\\\\\\n\\u007f\\ud83d\\ude00"')
})

it('reads stats as numbers where they are', () => {
  expect(['12', '1700000000.25', 'finished', '', 'nan', '-1'].map(readPythonStat)).toEqual([
    12,
    1700000000.25,
    'finished',
    '',
    'nan',
    -1,
  ])
})
