import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { UrlPatterns } from './url-pattern.ts'

const ORIGIN = 'http://a.test'

describe('UrlPatterns', () => {
  it('replaces numbers and hashes, and sorts parameters', () => {
    const patterns = new UrlPatterns()
    expect(patterns.patternOf(`${ORIGIN}/list/17?rev=2026-11&do=diff`)).toBe('a.test/list/#?do=diff&rev=#')
    expect(patterns.patternOf(`${ORIGIN}/?p=x.git;a=commit;h=0f3c9a1b`)).toBe('a.test/?a=commit&h=*&p=x.git')
  })

  it('learns which values vary, and keeps those of which there are few', () => {
    const patterns = new UrlPatterns()
    for (let i = 0; i < 40; i++)
      for (const action of ['edit', 'diff'])
        patterns.learn(`${ORIGIN}/wiki/page-${'x'.repeat(i)}?do=${action}`)
    expect(patterns.widened).toBe(1)
    expect(patterns.patternOf(`${ORIGIN}/wiki/other?do=edit`)).toBe('a.test/wiki/*?do=edit')
    expect(patterns.patternOf(`${ORIGIN}/other/x?do=edit`)).toBe('a.test/other/x?do=edit')
  })

  it('keeps the extension of a file name that varies', () => {
    const patterns = new UrlPatterns()
    for (let i = 0; i < 40; i++) patterns.learn(`${ORIGIN}/doc/${'x'.repeat(i + 1)}.html`)
    expect(patterns.patternOf(`${ORIGIN}/doc/new.html`)).toBe('a.test/doc/*.html')
    expect(patterns.patternOf(`${ORIGIN}/doc/new.pdf`)).toBe('a.test/doc/*.pdf')
  })

  it('continues with the slots of an earlier run', () => {
    const first = new UrlPatterns()
    for (let i = 0; i < 40; i++) first.learn(`${ORIGIN}/${'x'.repeat(i + 1)}`)
    expect(new UrlPatterns(first.takeChanged()).patternOf(`${ORIGIN}/new`)).toBe('a.test/*')
    expect(first.takeChanged()).toEqual([])
  })

  it('gives a pattern for any URL, and for a pattern itself', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true }), (url) => {
        const patterns = new UrlPatterns()
        patterns.learn(url)
        const pattern = patterns.patternOf(url)
        expect(patterns.patternOf(pattern)).toBe(pattern)
      }),
      { numRuns: 50 },
    )
  })
})
