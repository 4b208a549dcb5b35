import { expect, it } from 'vitest'
import { primaryLanguage } from './format-reader.ts'

it.each([
  ['en', 'en'],
  [' EN-gb', 'en'],
  ['zh_Hant', 'zh'],
  ['de, en', 'de'],
  ['gsw-CH', 'gsw'],
  ['english', undefined],
  ['x-default', undefined],
  ['', undefined],
])('of %j is %j', (tag, language) => {
  expect(primaryLanguage(tag)).toBe(language)
})

it('is that of the first usable tag', () => {
  expect(primaryLanguage(undefined, '', 'none-of-these', 'fr-CA', 'de')).toBe('fr')
})
