import { expect, it } from 'vitest'
import type { WantedUnit } from './rank-names.ts'
import { proximityOf } from './rank-proximity.ts'

const unit = (...words: string[]): WantedUnit => ({
  words,
  prefix: false,
  weight: 1,
  forms: [],
  synonyms: [],
})
const near = (text: string, units = [unit('lock'), unit('timeout')]) => proximityOf(text, units)

it('is 1 for words next to one another in their order, and less the more is between them', () => {
  const scores = [
    'The lock timeout is short.',
    'The timeout: lock it.',
    'A lock of this kind has a certain timeout.',
    `A lock. ${'Something else. '.repeat(20)}A timeout.`,
    'Only a lock.',
  ].map((text) => near(text))
  expect(scores[0]).toBe(1)
  expect(scores).toEqual(scores.toSorted((a, b) => b - a))
  expect(new Set(scores).size).toBe(5)
  expect(scores.at(-1)).toBe(0)
})

it('finds the closest place of many', () => {
  expect(near(`${'A lock here, and a timeout. '.repeat(30)}The lock timeout.`)).toBe(1)
})

it('does not take parts of words for words', () => {
  expect(near('Blocks and timeouts.')).toBe(0)
})

it('finds other forms, synonyms, and phrases with other signs between their words', () => {
  const forms = [
    { ...unit('lock'), forms: ['locks'] },
    { ...unit('timeout'), synonyms: [['time', 'limit']] },
  ]
  expect(near('Locks time limit', forms)).toBe(1)
  expect(near('the lock_timeout setting', [unit('lock', 'timeout'), unit('setting')])).toBe(1)
})

it('gives less for a text that lacks a word', () => {
  const units = [unit('lock'), unit('timeout'), unit('sqlite')]
  expect(near('The lock timeout.', units)).toBeCloseTo(4 / 9)
})

it('takes a word that only the URL has for neither close nor far', () => {
  const units = [unit('glue'), unit('silk')]
  expect(proximityOf('Droplets of glue.', units, 'http://a.test/silk/spiral')).toBe(0.5)
  expect(proximityOf('Droplets of glue.', units, 'http://a.test/silkworms')).toBe(0)
  expect(proximityOf('Glue silk.', units, 'http://a.test/silk/spiral')).toBe(1)
})
