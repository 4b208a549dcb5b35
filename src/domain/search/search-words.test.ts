import fc from 'fast-check'
import { expect, it } from 'vitest'
import { searchText, searchWords } from './search-words.ts'

/** The tokens of SQLite's tokeniser `ascii`. */
function tokens(text: string): string[] {
  return text.match(/[^\0-/:-@[-`{-\x7f]+/g) ?? []
}

it.each([
  'The naïve café, CRÈME',
  'e\u0301te\u0301 and a\u0591b',
  '北京大学 has 3 libraries, 図書館a',
  '고양이가 ใต้ ้x',
  '¶ “quoted” — dash… ½ ① a① ﬁne ㎏ ⑴ \u2126',
  'ΟΔΥΣΣΕΥΣ ΑΣ.b İstanbul ß ẞ',
  '1\ufe0f\u20e3 \ud800 \uffff 😀a',
])('separates the words of %s as a query does', (text) =>
  expect(tokens(searchText(text))).toEqual(searchWords(text)),
)

it('separates the words of any text as a query does', () => {
  const odd = fc.constantFrom(...'aZ1_-. ¶é\u0301\u0591中文한국ไทย้ΣςσİﬁK①½—\ud800')
  const text = fc.oneof(fc.string({ unit: odd, maxLength: 12 }), fc.string({ unit: 'binary', maxLength: 12 }))
  fc.assert(
    fc.property(text, (written) => {
      expect(tokens(searchText(written))).toEqual(searchWords(written))
    }),
    { numRuns: 5_000 },
  )
})
