import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readTestDocument } from '../../../../testing/read-test-document.ts'

const read = (rtf: string) => readTestDocument(Buffer.from(rtf, 'latin1'))

it.each([
  ['escapes', '{\\rtf1 a\\{b\\}\\\\c}', 'a{b}\\c'],
  ['a code page', "{\\rtf1\\ansi\\ansicpg1251 \\'cf\\'f0\\'e8\\'e2\\'e5\\'f2}", 'Привет'],
  ['characters of two bytes', "{\\rtf1\\ansi\\ansicpg932 \\'93\\'fa\\'96\\'7b}", '日本'],
  ['Unicode with a fallback', "{\\rtf1\\uc1 \\u1055?\\u1088\\'3f!}", 'Пр!'],
  ['Unicode with a longer fallback', '{\\rtf1{\\uc3 \\u8364EURx}EUR}', '€xEUR'],
  ['surrogate pairs', '{\\rtf1\\uc0 \\u-10179\\u-8704}', '😀'],
  ['unknown destinations', '{\\rtf1 a{\\*\\unknown hidden {nested}}b}', 'ab'],
  ['binary data', '{\\rtf1 a{\\pict\\bin4 }}}}x}b}', 'ab'],
  ['a file without its end', '{\\rtf1 a\\par b', 'a\nb'],
])('reads %s', async (_, rtf, text) => {
  expect(await read(rtf)).toMatchObject({ status: 'parsed', text })
})

it('reads groups of any depth', async () => {
  const depth = 300_000
  expect((await read(`{\\rtf1 ${'{'.repeat(depth)}deep${'}'.repeat(depth)} out}`)).text).toBe('deep out')
})

it('reads any text', async () => {
  const piece = fc.constantFrom(
    '{',
    '}',
    '\\',
    "\\'",
    '\\u-5 ',
    '\\uc9 ',
    '\\bin99 ',
    '\\*',
    '\\fldinst ',
    'x',
    '\\par',
  )
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(piece, fc.string())), async (parts) => {
      expect((await read(`{\\rtf1${parts.join('')}`)).status).toBe('parsed')
    }),
  )
})
