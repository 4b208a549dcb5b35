import fc from 'fast-check'
import { expect, it } from 'vitest'
import { normalizeUrl } from '../url/normalize-url.ts'
import { isLlmsTxt, markdownLinks } from './markdown-links.ts'
import { readPage } from './read-page.ts'

const hrefs = (text: string) => [...new Set(markdownLinks(text).map(({ href }) => href))]

it.each([
  ['[a](/b)', ['/b']],
  ['- [Guide](guide.md): how to start', ['guide.md']],
  ['[a](</b c> "title") and [d](e \'t\')', ['/b c', 'e']],
  ['[a](/b_(c))', ['/b_(c)']],
  ['see https://a.test/x, or <https://a.test/y>.', ['https://a.test/x', 'https://a.test/y']],
  ['[ref]: https://a.test/z "title"', ['https://a.test/z']],
  ['![image](/i.png)', []],
  ['[![badge](/i.png)](/page)', ['/page']],
  ['`[code](/no)` and [yes](/yes)', ['/yes']],
  ['```\n[no](/no)\n```\n[yes](/yes)\r\n', ['/yes']],
  ['[](/empty) [x]() [x](', ['/empty']],
])('finds the links of %j', (text, expected) => {
  expect(hrefs(text)).toEqual(expected)
})

it('keeps the text of a link', () => {
  expect(markdownLinks('[**The** guide](/b)')).toMatchObject([{ href: '/b', anchor: 'The guide' }])
})

it.each([
  ['https://a.test/llms.txt', true],
  ['https://a.test/docs/llms-full.txt?x=1', true],
  ['https://a.test/x.txt?/llms.txt', false],
  ['https://a.test/allms.txt', false],
])('knows whether %s is an llms.txt: %s', (url, expected) => {
  expect(isLlmsTxt(url)).toBe(expected)
})

it('reads relative links of an llms.txt as links of the page, and bare URLs only of other texts', () => {
  const read = (url: string) =>
    readPage(
      {
        url,
        headers: [['content-type', 'text/plain']],
        bytes: Buffer.from('# Site\n- [Guide](/guide.md): x'),
      },
      { agent: 'orbweaver', normalize: normalizeUrl, signatures: [] },
    ).links.map((link) => [link.url, link.anchor])
  expect(read('http://a.test/llms.txt')).toEqual([['http://a.test/guide.md', 'Guide']])
  expect(read('http://a.test/other.txt')).toEqual([])
})

it('reads any text, and finds each link that stands on its own line', () => {
  const path = fc.stringMatching(/^[a-z0-9/_.-]{1,20}$/)
  fc.assert(
    fc.property(fc.string(), fc.array(path), (noise, paths) => {
      const clean = noise.replace(/[`~]/g, '')
      const text = `${clean}\n${paths.map((one) => `- [x](/${one})`).join('\n')}`
      const found = hrefs(text)
      for (const one of paths) expect(found).toContain(`/${one}`)
    }),
    { numRuns: 200 },
  )
})

it.each(['[', '](', '[](', '![', '`', '[a](<'])('takes linear time for many %s', (piece) => {
  markdownLinks(piece.repeat(200_000))
})
