import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { indexDocument } from '../../../testing/index-documents.ts'
import { matchesPattern, meetsCondition } from './field-condition.ts'

describe('meetsCondition', () => {
  const document = indexDocument('https://example.org/news/1', {
    ...{ lang: 'en-us', boost: 2, anchors: ['first', 'second'] },
    metadata: { author: 'Ada', tags: ['one', 'two'] },
  })

  it.each([
    [{}, true],
    [{ lang: 'en-us' }, true],
    [{ lang: 'en' }, false],
    [{ lang: ['de', 'en-*'] }, true],
    [{ lang: 'en-*', url: '*/news/*' }, true],
    [{ lang: 'en-*', url: '*/blog/*' }, false],
    [{ title: '*' }, false],
    [{ author: 'Ada' }, true],
    [{ tags: 'two' }, true],
    [{ anchors: 'sec*' }, true],
    [{ boost: '2' }, true],
    [{ constructor: '*' }, false],
  ])('of %j is %s', (condition, expected) => {
    expect(meetsCondition(document, condition)).toBe(expected)
  })

  it('calls a function', () => {
    expect(meetsCondition(document, ({ boost }) => boost > 1)).toBe(true)
    expect(meetsCondition(document, () => 'yes' as unknown as boolean)).toBe(false)
  })
})

it('matches patterns as a regular expression does', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 8 })
  fc.assert(
    fc.property(letters, letters, (written, pattern) => {
      const text = written.replaceAll('*', 'c')
      const regex = new RegExp(`^${pattern.replaceAll('*', '[^]*')}$`)
      expect(matchesPattern(text, pattern)).toBe(regex.test(text))
    }),
  )
})
