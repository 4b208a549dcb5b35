import { describe, expect, it } from 'vitest'
import { CandidateUrl } from '../../domain/url/candidate-url.ts'
import { SpiderScope } from './spider-scope.ts'

function accepts(scope: SpiderScope, host: string, from = 'http://elsewhere.test/'): boolean {
  return scope.judge(new CandidateUrl(`http://${host}/`, { depth: 1, from })).accepted
}

describe('SpiderScope', () => {
  it('keeps to the hosts it started from when none is named', () => {
    const scope = new SpiderScope(undefined)
    expect(accepts(scope, 'a.test')).toBe(false)
    scope.startsAt('http://a.test/x')
    expect(accepts(scope, 'a.test')).toBe(true)
    expect(accepts(scope, 'www.a.test')).toBe(false)
    expect(accepts(scope, 'b.test')).toBe(false)
  })

  it('goes where a start request was redirected to, and stays there', () => {
    const scope = new SpiderScope(undefined)
    scope.startsAt('http://a.test/')
    expect(scope.judge(new CandidateUrl('http://www.a.test/')).accepted).toBe(true)
    expect(accepts(scope, 'www.a.test', 'http://www.a.test/')).toBe(true)
    expect(accepts(scope, 'b.test', 'http://www.a.test/')).toBe(false)
    expect(scope.isNamed('www.a.test')).toBe(false)
  })

  it('begins where others want it to, but does not count that as named by the user', () => {
    const scope = new SpiderScope(undefined)
    scope.beginsAt('http://c.test/')
    expect(accepts(scope, 'c.test')).toBe(true)
    expect(scope.isNamed('c.test')).toBe(false)
    const named = new SpiderScope(['a.test'])
    named.beginsAt('http://c.test/')
    expect(accepts(named, 'c.test')).toBe(false)
  })

  it('goes nowhere else, also by redirect, when hosts are named', () => {
    const scope = new SpiderScope(['a.test'])
    expect(scope.judge(new CandidateUrl('http://b.test/')).accepted).toBe(false)
    expect(accepts(scope, 'b.test', 'http://b.test/')).toBe(false)
  })

  it.each([['*'], [['*']], [['a.test', '*']]] as const)('lets in any host with allow: %j', (allow) => {
    const scope = new SpiderScope(allow)
    expect(accepts(scope, 'b.test')).toBe(true)
    expect(scope.isNamed('b.test')).toBe(false)
  })

  it('takes *.a.test for a.test', () => {
    const scope = new SpiderScope(['*.a.test', '.b.test'])
    for (const host of ['a.test', 'www.a.test', 'www.b.test']) expect(accepts(scope, host)).toBe(true)
    expect(accepts(scope, 'c.test')).toBe(false)
  })

  it('lets in the hosts that are named, with all under them, and those it started from', () => {
    const scope = new SpiderScope(['A.test'])
    scope.startsAt('http://start.test/')
    for (const host of ['a.test', 'www.a.test', 'x.y.a.test', 'start.test'])
      expect(accepts(scope, host)).toBe(true)
    for (const host of ['nota.test', 'a.test.evil', 'b.test']) expect(accepts(scope, host)).toBe(false)
  })

  it('lets in all with *', () => {
    expect(accepts(new SpiderScope('*'), 'any.test')).toBe(true)
  })

  it('gives a rule that is counted as scope', () => {
    const { rule } = new SpiderScope([]).judge(new CandidateUrl('http://b.test/', { depth: 1 }))
    expect(rule).toBe('scope: b.test is not allowed')
  })

  it('knows which hosts the operator wrote down: with * none but the starts', () => {
    const named = new SpiderScope(['a.test'])
    expect(named.isNamed('a.test')).toBe(true)
    expect(named.isNamed('www.a.test')).toBe(false)
    expect(named.isNamed('b.test')).toBe(false)
    const any = new SpiderScope('*')
    expect(any.isNamed('b.test')).toBe(false)
    any.startsAt('http://b.test/')
    expect(any.isNamed('b.test')).toBe(true)
  })
})
