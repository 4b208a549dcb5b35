import fc from 'fast-check'
import { expect, it } from 'vitest'
import { combineAiUse } from './ai-use.ts'
import { octetsOf } from './path-octets.ts'
import { TdmRep } from './tdm-rep.ts'

const RULES = [
  { location: '/', 'tdm-reservation': 1, 'tdm-policy': 'https://a.test/policy.json' },
  { location: '/open/*', 'tdm-reservation': 0 },
  { location: '/open/*.pdf$', 'tdm-reservation': '1' },
  { location: '/straße/', 'tdm-reservation': 0 },
]

const file = new TdmRep(octetsOf(JSON.stringify(RULES)))

it.each([
  ['/', 'disallow'],
  ['/a/b?c=d', 'disallow'],
  ['/open/a', 'allow'],
  ['/open/a.pdf', 'disallow'],
  ['/stra%C3%9Fe/1', 'allow'],
])('applies the rule with the longest location to %s', (path, preference) => {
  const { train, input } = combineAiUse(file.statements(`http://a.test${path}`)) ?? {}
  expect({ train, input }).toEqual({ train: preference, input: preference })
})

it('quotes the rule', () => {
  expect(file.statements('http://a.test/')[0]).toEqual({
    ...{ use: 'train', preference: 'disallow', source: 'tdmrep.json' },
    text: 'tdm-reservation: 1 (location: /, tdm-policy: https://a.test/policy.json)',
  })
})

it('prefers a reservation among rules for the same location', () => {
  const rules = [0, 1].map((reserved) => ({ location: '/a', 'tdm-reservation': reserved }))
  const both = new TdmRep(JSON.stringify(rules))
  expect(both.statements('http://a.test/a')).toMatchObject([
    { preference: 'disallow' },
    { preference: 'disallow' },
  ])
})

it.each([
  ['no JSON', '[{"location"'],
  ['no list', '{"location":"/","tdm-reservation":1}'],
  ['no rules', '[1,null,"x",{},{"location":5,"tdm-reservation":1},{"location":"/","tdm-reservation":2}]'],
])('has no statements if the file has %s', (_, text) => {
  expect(new TdmRep(text).statements('http://a.test/')).toEqual([])
})

it('skips a byte order mark', () => {
  const text = octetsOf('\uFEFF[{"location":"/","tdm-reservation":1}]')
  expect(new TdmRep(text).statements('http://a.test/')).toHaveLength(2)
})

it('can be read from any JSON', () => {
  fc.assert(
    fc.property(fc.json(), fc.webUrl(), (json, url) => {
      expect(Array.isArray(new TdmRep(octetsOf(json)).statements(url))).toBe(true)
    }),
    { numRuns: 100 },
  )
})
