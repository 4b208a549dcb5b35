import { expect, it } from 'vitest'
import { stemmerOf } from './stemmers.ts'

it.each([
  ['en', ['index', 'indexes', 'indexing']],
  ['en-gb', ['query', 'queries']],
  ['de', ['spinne', 'spinnen']],
  ['fr', ['araignee', 'araignees']],
  ['ru', ['паук', 'пауки']],
  ['nb', ['edderkopp', 'edderkopper']],
])('gives forms of a word in %s one stem', (lang, forms) => {
  const stemmer = stemmerOf(lang)
  expect(new Set(forms.map((form) => stemmer?.(form))).size).toBe(1)
})

it.each(['ja', 'zh', 'xx', ''])('has no stemmer of %j', (lang) => {
  expect(stemmerOf(lang)).toBeUndefined()
})

it.each(['bg', 'da', 'el', 'es', 'fi', 'hu', 'it', 'nl', 'no', 'pt', 'ro', 'sr', 'sv', 'tr', 'uk'])(
  'can load the stemmer of %s',
  (lang) => {
    expect(typeof stemmerOf(lang)?.('abcdef')).toBe('string')
  },
)
