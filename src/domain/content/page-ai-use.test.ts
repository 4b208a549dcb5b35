import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { HeaderList } from '../fetch/headers.ts'
import { AI_USES, combineAiUse } from '../robots/ai-use.ts'
import { normalizeUrl } from '../url/normalize-url.ts'
import { pageAiUse } from './page-ai-use.ts'
import { readPage } from './read-page.ts'

function aiUse(html: string, headers: HeaderList = []) {
  const reading = readPage(
    { url: 'http://a.test/', headers: [['content-type', 'text/html'], ...headers], bytes: Buffer.from(html) },
    { agent: 'orbweaver', normalize: normalizeUrl, signatures: [] },
  )
  return pageAiUse(reading)
}

it.each([
  [
    '<meta name="robots" content="noai, noimageai">',
    { train: 'disallow', input: 'disallow', images: 'disallow' },
  ],
  ['<meta name="orbweaver" content="NoAI">', { train: 'disallow', input: 'disallow' }],
  ['<meta name="otherbot" content="noai">', undefined],
  ['<meta name="tdm-reservation" content="1">', { train: 'disallow', input: 'disallow' }],
  ['<meta name="tdm-reservation" content="0">', { train: 'allow', input: 'allow' }],
  ['<meta name="robots" content="index, follow">', undefined],
])('reads %s', (html, expected) => {
  const { statements: _, ...uses } = combineAiUse(aiUse(html)) ?? { statements: [] }
  expect(uses).toEqual(expected ?? {})
})

it.each<[string, string, object]>([
  ['content-usage', 'train-ai=n, search=y', { train: 'disallow', search: 'allow' }],
  [
    'content-signal',
    'ai-train=yes, search=yes, ai-input=no',
    { train: 'allow', search: 'allow', input: 'disallow' },
  ],
  ['x-robots-tag', 'noai', { train: 'disallow', input: 'disallow' }],
  ['x-robots-tag', 'otherbot: noai', {}],
  ['tdm-reservation', '1', { train: 'disallow', input: 'disallow' }],
])('reads the header %s: %s', (name, value, expected) => {
  const { statements: _, ...uses } = combineAiUse(aiUse('', [[name, value]])) ?? { statements: [] }
  expect(uses).toEqual(expected)
})

it('keeps the evidence', () => {
  const headers: HeaderList = [
    ['tdm-reservation', '1'],
    ['tdm-policy', 'http://a.test/policy'],
  ]
  const statements = aiUse('<meta name=robots content=noimageai>', headers)
  expect(statements).toContainEqual({
    ...{ use: 'train', preference: 'disallow', source: 'header' },
    text: 'tdm-reservation: 1 (tdm-policy: http://a.test/policy)',
  })
  expect(statements).toContainEqual({
    ...{ use: 'images', preference: 'disallow', source: 'meta', text: 'noimageai' },
  })
})

it('accepts any header and meta', () => {
  const name = fc.constantFrom('content-usage', 'content-signal', 'x-robots-tag', 'tdm-reservation')
  fc.assert(
    fc.property(fc.array(fc.tuple(name, fc.string())), fc.string(), (headers, content) => {
      for (const { use } of aiUse(`<meta name=robots content="${content}">`, headers))
        expect(AI_USES).toContain(use)
    }),
    { numRuns: 100 },
  )
})
