import { expect, it } from 'vitest'
import { guessLanguage } from './guess-language.ts'

const guess = (counts: Readonly<Record<string, number>>) => guessLanguage((word) => counts[word] ?? 0, 100)

it('guesses the language whose frequent words most pages have', () => {
  expect(guess({ the: 90, of: 80, and: 85, with: 60, und: 3 })).toBe('en')
  expect(guess({ und: 90, der: 80, nicht: 40, mit: 60, the: 20 })).toBe('de')
  expect(guess({ og: 90, ikke: 70, av: 60, hva: 30, af: 2 })).toBe('nb')
})

it('guesses nothing if few pages have such words', () => {
  expect(guess({ the: 40, of: 20, and: 10 })).toBeUndefined()
})
