import { expect, it } from 'vitest'
import { z } from 'zod'
import { describeIssues } from './standard-schema.ts'

it('says in a line what is wrong, and where', () => {
  const issues = [
    { message: 'too short', path: ['title'] },
    { message: 'no number', path: ['tags', { key: 0 }, 'n'] },
    { message: 'all wrong' },
  ]
  expect(describeIssues(issues)).toBe('title: too short; tags.0.n: no number; all wrong')
})

it('has words for a schema that has none', () => {
  expect(describeIssues([])).toBe('the schema refuses it')
})

it('reads the issues of zod', async () => {
  const verdict = await z.object({ price: z.number() })['~standard'].validate({ price: 'x' })
  expect(describeIssues(verdict.issues ?? [])).toMatch(/^price: .*number/)
})
