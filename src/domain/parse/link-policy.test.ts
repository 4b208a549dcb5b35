import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { testRules } from '../../../testing/test-rules.ts'
import { hostileHref } from '../../../testing/url-arbitraries.ts'
import type { OrbweaverConfig } from '../../adapters/config/config-schema.ts'
import { normalizeUrl } from '../url/normalize-url.ts'
import { filterChain } from '../url/url-filter.ts'
import { createLinkPolicy, type LinkLimits } from './link-policy.ts'

const PAGE = 'http://a.test:8080/dir/page'

function judge(url: string, limits?: LinkLimits, page = PAGE) {
  return createLinkPolicy(filterChain([]), limits).linksOf(page, 1)(url)
}

/** Normal forms of odd links of two hosts; some repeat. */
const links = fc.array(fc.tuple(fc.constantFrom(PAGE, 'http://b.test/'), hostileHref)).map((found) => {
  const urls = found.flatMap(([page, href]) => normalizeUrl(href, page)).filter(({ ok }) => ok)
  return [...urls, ...urls.slice(1)].map((normal) => ('url' in normal ? normal.url : ''))
})

describe('createLinkPolicy', () => {
  it('decides about a link as the filters do, on whatever page it was found before', () => {
    const clock = new FakeClock()
    const configs: OrbweaverConfig['filters'][] = [
      {},
      { scope: 'any', denyDomains: ['b.test'] },
      { prefixes: ['http://a.test/a'], suffixes: ['.js'], rules: ['-%', '+.'] },
      { maxLength: 20, traps: { maxPathSegments: 2 } },
      { maxDepth: 2 },
    ]
    for (const filters of configs) {
      const { filter } = testRules(clock, { filters }, ['http://a.test/'])
      const { name, judge } = filter
      fc.assert(
        fc.property(links, fc.integer({ min: 1, max: 3 }), (urls, depth) => {
          const remembering = createLinkPolicy(filter)
          const plain = createLinkPolicy({ name, judge })
          for (const page of [PAGE, 'http://b.test/'])
            for (const url of urls)
              expect(remembering.linksOf(page, depth)(url)).toEqual(plain.linksOf(page, depth)(url))
        }),
      )
    }
  })

  it('calls filters that judge by the URL alone once for a link that repeats', () => {
    let calls = 0
    const judge = () => ({ accepted: ++calls > 0, rule: 'counting' })
    const policy = createLinkPolicy({ name: 'counting', urlOnly: true, judge })
    for (const page of [PAGE, 'http://b.test/']) policy.linksOf(page, 1)('http://c.test/')
    expect(calls).toBe(1)
  })

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
