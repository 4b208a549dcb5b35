import { expect, it } from 'vitest'
import { CandidateUrl } from './candidate-url.ts'
import { limitFilter } from './limit-filter.ts'

const URL_OF_17 = 'http://h.example/'

it('rejects what is longer', () => {
  expect(limitFilter({ maxLength: 17 }).judge(new CandidateUrl(URL_OF_17))).toBeUndefined()
  expect(limitFilter({ maxLength: 16 }).judge(new CandidateUrl(URL_OF_17))).toEqual({
    accepted: false,
    rule: 'filters.maxLength: longer than 16 characters',
  })
})

it('rejects what is deeper', () => {
  const filter = limitFilter({ maxDepth: 2 })
  expect(filter.judge(new CandidateUrl(URL_OF_17, { depth: 2 }))).toBeUndefined()
  expect(filter.judge(new CandidateUrl(URL_OF_17, { depth: 3 }))).toEqual({
    accepted: false,
    rule: 'filters.maxDepth: deeper than 2 links',
  })
  expect(filter.judge(new CandidateUrl(URL_OF_17))).toBeUndefined()
})

it('limits nothing unless told to', () =>
  expect(limitFilter({}).judge(new CandidateUrl(URL_OF_17, { depth: 1_000 }))).toBeUndefined())
