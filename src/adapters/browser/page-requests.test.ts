import { expect, it } from 'vitest'
import { kindOf } from './page-requests.ts'

const NONE = new Set<never>()

it.each([
  ['document', true, 'data'],
  ['document', false, { blocked: 'iframe' }],
  ['fetch', false, 'data'],
  ['xhr', false, 'data'],
  ['script', false, 'asset'],
  ['stylesheet', false, 'asset'],
  ['image', false, { blocked: 'image' }],
  ['font', false, { blocked: 'font' }],
  ['media', false, { blocked: 'media' }],
  ['eventsource', false, { blocked: 'eventsource' }],
  ['ping', false, { blocked: 'ping' }],
  ['other', false, { blocked: 'other' }],
])('decides about a %s', (type, isMain, kind) => {
  expect(kindOf('https://a.test/x', type, isMain, NONE)).toEqual(kind)
})

it('sends kinds that the settings name', () => {
  expect(kindOf('https://a.test/x', 'image', false, new Set(['image'] as const))).toBe('asset')
  expect(kindOf('https://a.test/x', 'document', false, new Set(['iframe'] as const))).toBe('data')
})

it('knows only HTTP, and URLs without a request', () => {
  expect(kindOf('data:text/plain,x', 'fetch', false, NONE)).toBe('local')
  expect(kindOf('blob:https://a.test/1', 'script', false, NONE)).toBe('local')
  expect(kindOf('file:///etc/passwd', 'document', true, NONE)).toEqual({ blocked: 'scheme' })
  expect(kindOf('ftp://a.test/x', 'fetch', false, NONE)).toEqual({ blocked: 'scheme' })
})
