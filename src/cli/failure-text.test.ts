import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ConfigurationError } from '../base/crawl-error.ts'
import { failureText, firstError } from './failure-text.ts'

it('gives our own errors in their own words', () => {
  expect(failureText(new ConfigurationError('QUERY_INVALID', 'give a name'))).toBe('give a name')
})

it('tells what the system refused in one line', () => {
  expect(failureText(caught(() => readFileSync('/no/such/file')))).toBe(
    '/no/such/file: no such file or directory',
  )
  expect(failureText(caught(() => readFileSync('/')))).toMatch(/is a directory$/)
})

it('tells what the database could not open in one line', () => {
  expect(failureText(new Error('IO Error: Cannot open file "x": Is a directory'))).toBe(
    'Cannot open file "x": Is a directory',
  )
})

it('keeps the stack of everything else', () => {
  expect(failureText(new TypeError('no such method'))).toContain('failure-text.test.ts')
})

function caught(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}

it('reports the step that failed, not what failed after it', async () => {
  const failing = async () => {
    await using _crawl = { [Symbol.asyncDispose]: () => Promise.reject(new Error('cannot close')) }
    throw new Error('cannot write')
  }
  const error = await failing().catch((thrown: unknown) => thrown)
  expect(firstError(error)).toMatchObject({ message: 'cannot write' })
})
