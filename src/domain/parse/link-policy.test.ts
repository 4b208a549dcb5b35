import { describe, expect, it } from 'vitest'
import { filterChain } from '../url/url-filter.ts'
import { createLinkPolicy, type LinkLimits } from './link-policy.ts'

const PAGE = 'http://a.test:8080/dir/page'

function judge(url: string, limits?: LinkLimits, page = PAGE) {
  return createLinkPolicy(filterChain([]), limits).linksOf(page, 1)(url)
}

describe('createLinkPolicy', () => {
  it.each([
    ['http://a.test:8080/x', true],
    ['http://a.test/x', true],
    ['https://a.test/', true],
    ['http://a.test.b.test/x', false],
    ['http://b.a.test/x', false],
    ['http://b.test/?http://a.test:8080/', false],
  ])('tells whether %s stays on the host: %s', (url, internal) => {
    expect(judge(url)).toEqual({ kept: true, internal })
  })

  it('does not take a longer name for the same host', () => {
    expect(judge('http://a.test.b.test/', {}, 'http://a.test/')).toEqual({ kept: true, internal: false })
  })

  it('takes every port and scheme of a host for the host when links must stay or leave', () => {
    expect(judge('https://a.test/', { ignoreInternal: true })).toMatchObject({ kept: false })
    expect(judge('https://a.test/', { ignoreExternal: true })).toMatchObject({ kept: true })
    expect(judge('http://b.test/', { ignoreExternal: true })).toMatchObject({ kept: false })
  })

  it('keeps to the registered domain if configured', () => {
    const limits: LinkLimits = { ignoreExternal: true, compare: 'domain' }
    const page = 'http://www.a.example/'
    expect(judge('http://b.a.example/', limits, page)).toEqual({ kept: true, internal: false })
    expect(judge('http://b.example/', limits, page)).toEqual({
      kept: false,
      rule: 'links.ignoreExternal: leaves its domain',
    })
  })

  it('hands depth and origin of a link to the filters', () => {
    const seen: unknown[] = []
    const filter = filterChain([
      {
        name: 'spy',
        judge: ({ url, depth, from }) => {
          seen.push([url, depth, from])
          return undefined
        },
      },
    ])
    createLinkPolicy(filter).linksOf(PAGE, 3)('http://b.test/')
    createLinkPolicy(filter).redirectsOf(PAGE)('http://b.test/')
    expect(seen).toEqual([
      ['http://b.test/', 3, PAGE],
      ['http://b.test/', undefined, PAGE],
    ])
  })
})
