import { describe, expect, it } from 'vitest'
import { CandidateUrl } from './candidate-url.ts'
import { filterChain, firstDecision, type UrlFilter } from './url-filter.ts'

const url = new CandidateUrl('http://h.example/')

function fixed(rule: string, accepted: boolean | undefined): UrlFilter {
  return { name: rule, judge: () => (accepted === undefined ? undefined : { accepted, rule }) }
}

describe('a chain: it', () => {
  it('rejects with the first rejecting rule, also after others accepted', () => {
    const chain = filterChain([fixed('a', true), fixed('b', false), fixed('c', false), fixed('d', true)])
    expect(chain.judge(url)).toEqual({ accepted: false, rule: 'b' })
  })
  it('does not call the filters after a rejection', () => {
    const never: UrlFilter = { name: 'never', judge: () => expect.fail('called') }
    expect(filterChain([fixed('a', false), never]).judge(url).accepted).toBe(false)
  })
  it('lets an exception through instead of taking it for a rejection', () => {
    const broken: UrlFilter = {
      name: 'broken',
      judge: () => {
        throw new Error('bug')
      },
    }
    expect(() => filterChain([broken]).judge(url)).toThrow('bug')
  })
  it('accepts with the last rule that did', () => {
    const chain = filterChain([fixed('a', true), fixed('b', true), fixed('c', undefined)])
    expect(chain.judge(url)).toEqual({ accepted: true, rule: 'b' })
  })
  it('judges by the URL alone if all of its filters do', () => {
    const urlOnly: UrlFilter = { ...fixed('a', true), urlOnly: true }
    expect(filterChain([urlOnly, urlOnly]).urlOnly).toBe(true)
    expect(filterChain([urlOnly, fixed('b', true)]).urlOnly).toBeUndefined()
  })
  it('uses the default when no filter has an opinion', () => {
    expect(filterChain([]).judge(url).accepted).toBe(true)
    expect(filterChain([fixed('a', undefined)], { otherwise: 'reject' }).judge(url)).toEqual({
      accepted: false,
      rule: 'no filter matched: reject',
    })
  })
})

describe('the first decision: it', () => {
  it('is that of the first filter with an opinion', () => {
    const filter = firstDecision([fixed('a', undefined), fixed('b', true), fixed('c', false)])
    expect(filter.judge(url)).toEqual({ accepted: true, rule: 'b' })
  })
  it('is undefined when no filter has one', () =>
    expect(firstDecision([fixed('a', undefined)]).judge(url)).toBeUndefined())
  it('makes exceptions inside a chain', () => {
    const chain = filterChain([
      firstDecision([fixed('exception', true), fixed('trap', false)]),
      fixed('limit', undefined),
    ])
    expect(chain.judge(url)).toEqual({ accepted: true, rule: 'exception' })
  })
})
