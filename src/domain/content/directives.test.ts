import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mergeDirectives } from './directives.ts'

const merge = (headers: string[], metas: [string, string][] = []) =>
  mergeDirectives({
    headers: headers.map((value) => ['x-robots-tag', value]),
    metas: metas.map(([name, content]) => ({ name, content })),
    agent: 'OrbWeaver',
  })

/** The names of what is on, in short. */
function on(headers: string[], metas: [string, string][] = []): string {
  return Object.entries(merge(headers, metas))
    .filter(([, value]) => value === true)
    .map(([name]) => name)
    .join(' ')
}

describe('metas', () => {
  it.each([
    ['NONE', 'noindex nofollow'],
    ['all', ''],
    ['noindex,follow', 'noindex'],
    ['index, NoFollow', 'nofollow'],
    ['noindex nofollow', 'noindex nofollow'],
    ['noindex;nofollow', 'noindex nofollow'],
    ['nocache', 'noarchive'],
    ['noarchive, nosnippet, noimageindex, notranslate', 'noarchive nosnippet noimageindex notranslate'],
    ['noai, noimageai', 'noai noimageai'],
    ['nonsense, __proto__, constructor, no-index', ''],
    ['', ''],
  ])('%j means %j', (content, expected) => {
    expect(on([], [['robots', content]])).toBe(expected)
  })

  it('may have any number of words', () => {
    expect(on([], [['robots', `${'a '.repeat(500_000)}noindex`]])).toBe('noindex')
    expect(on([`${'a '.repeat(500_000)}nofollow`])).toBe('nofollow')
  })

  it('count for all and for us, not for others', () => {
    const metas: [string, string][] = [
      ['robots', 'nosnippet'],
      ['orbweaver', 'nofollow'],
      ['otherbot', 'noindex'],
      ['description', 'noarchive'],
    ]
    expect(on([], metas)).toBe('nofollow nosnippet')
  })

  it('are added up, never taken back', () => {
    expect(
      on(
        [],
        [
          ['robots', 'noindex'],
          ['robots', 'index, follow'],
          ['orbweaver', 'all'],
        ],
      ),
    ).toBe('noindex')
  })
})

describe('headers', () => {
  it.each([
    [['noindex'], 'noindex'],
    [['noindex', 'nofollow'], 'noindex nofollow'],
    [['OrbWeaver: noindex'], 'noindex'],
    [['otherbot: noindex'], ''],
    [['otherbot: noindex, nofollow'], ''],
    [['otherbot: noindex, orbweaver: nofollow'], 'nofollow'],
    [['nosnippet, otherbot: noindex'], 'nosnippet'],
    [['orbweaver:none'], 'noindex nofollow'],
    [['*: noindex'], 'noindex'],
    [['max-unknown: 3, noindex'], 'noindex'],
    [['otherbot: unavailable_after: 1 Jan 2026, noindex'], ''],
  ])('%j mean %j', (headers, expected) => {
    expect(on(headers)).toBe(expected)
  })

  it('are added to the metas', () => {
    expect(on(['noindex'], [['robots', 'nofollow']])).toBe('noindex nofollow')
  })
})

describe('values', () => {
  it('takes the smallest limit', () => {
    const merged = merge(
      ['max-snippet:50, max-image-preview:large, max-video-preview: 30'],
      [['robots', 'max-snippet:20,max-image-preview: Standard,max-video-preview:-1']],
    )
    expect(merged).toMatchObject({ maxSnippet: 20, maxImagePreview: 'standard', maxVideoPreview: 30 })
    expect(merge(['max-snippet:-1'])).not.toHaveProperty('maxSnippet')
    expect(merge(['max-snippet:0'])).toMatchObject({ maxSnippet: 0 })
  })

  it.each([
    'unavailable_after: 25 Jun 2010 15:00:00 PST',
    'unavailable_after: Fri, 25 Jun 2010 23:00:00 GMT',
    'unavailable_after: Friday, 25-Jun-10 23:00:00 GMT',
    'noindex, unavailable_after: Fri, 25 Jun 2010 23:00:00 GMT, nofollow',
    'orbweaver: unavailable_after: 2010-06-25T23:00:00Z',
    'unavailable_after: 2030-01-01, unavailable_after: 25 Jun 2010 23:00:00 GMT',
  ])('reads the date of %s', (value) => {
    expect(merge([value]).unavailableAfter).toBe(Date.UTC(2010, 5, 25, 23))
  })

  it('continues after a date with a comma', () => {
    expect(on(['unavailable_after: Fri, 25 Jun 2010 23:00:00 GMT, nofollow'])).toBe('nofollow')
  })

  it('passes over a date that is none', () => {
    expect(on(['unavailable_after: soon, noindex'])).toBe('noindex')
    expect(merge(['unavailable_after: 31 Feb 2026, noindex'])).toMatchObject({
      noindex: true,
      sources: [{ directive: 'noindex' }],
    })
  })
})

it('tells where each was said, to the letter', () => {
  expect(merge(['orbweaver: None'], [['robots', 'Max-Snippet: 20']]).sources).toEqual([
    { directive: 'noindex', from: 'header', agent: 'orbweaver', text: 'None' },
    { directive: 'nofollow', from: 'header', agent: 'orbweaver', text: 'None' },
    { directive: 'max-snippet', from: 'meta', agent: 'robots', text: 'Max-Snippet: 20' },
  ])
})

it('quotes a hundred directives at most, and obeys all', () => {
  const merged = merge([`${'noarchive,'.repeat(500)}noindex`])
  expect(merged.sources).toHaveLength(100)
  expect(merged.noindex).toBe(true)
})

it('never throws and never becomes looser by more being said', () => {
  const unit = fc.constantFrom(
    'noindex',
    'none',
    ',',
    ':',
    ' ',
    'orbweaver',
    'x',
    'max-snippet',
    '5',
    'unavailable_after',
    ';',
  )
  const said = fc.string({ unit })
  fc.assert(
    fc.property(said, said, (one, two) => {
      const alone = merge([one])
      const both = merge([one], [['robots', two]])
      expect(both.noindex || !alone.noindex).toBe(true)
      expect(both.maxSnippet ?? Infinity).toBeLessThanOrEqual(alone.maxSnippet ?? Infinity)
    }),
  )
})
