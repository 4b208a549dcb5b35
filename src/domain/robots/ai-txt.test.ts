import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AiTxt } from './ai-txt.ts'
import { AI_USES } from './ai-use.ts'

const FILE = `# Spawning AI
User-Agent: *
Disallow: *.html
Disallow: *.jpg
Allow: /open/
Allow: *.pdf
Disallow: /members$
`

describe('the statements of an ai.txt', () => {
  const file = new AiTxt(FILE, 'orbweaver')
  it.each([
    ['/page.html', 'disallow', 'Disallow: *.html'],
    ['/', 'disallow', 'Disallow: *.html'],
    ['/article?id=1', 'disallow', 'Disallow: *.html'],
    ['/open/article', 'allow', 'Allow: /open/'],
    ['/open/data.csv', 'allow', 'Allow: /open/'],
    ['/report.pdf', 'allow', 'Allow: *.pdf'],
    ['/members', 'disallow', 'Disallow: *.html'],
  ])('about %s', (path, preference, text) => {
    expect(file.statements(`http://a.test${path}`)[0]).toEqual({
      use: 'train',
      preference,
      source: 'ai.txt',
      text,
    })
  })

  it('leave out types that no line names', () => {
    const uses = file.statements('http://a.test/data.bin').map(({ use }) => use)
    expect(uses).toEqual(['images'])
  })

  it('refuse the images of all pages if one type of image is refused', () => {
    expect(file.statements('http://a.test/')).toContainEqual({
      ...{ use: 'images', preference: 'disallow', source: 'ai.txt' },
      text: 'Disallow: *.jpg',
    })
  })

  it('apply to the agents that their group names', () => {
    const other = new AiTxt('User-Agent: other\nDisallow: /\n', 'orbweaver')
    expect(other.statements('http://a.test/')).toEqual([])
    const ours = new AiTxt('User-Agent: orbweaver\r\nDisallow: /\r\n', 'orbweaver')
    expect(ours.statements('http://a.test/')).toMatchObject([
      { use: 'train', preference: 'disallow' },
      { use: 'images', preference: 'disallow' },
    ])
  })

  it('can be read from any bytes', () => {
    const bytes = fc.uint8Array({ maxLength: 300 }).map((octets) => Buffer.from(octets).toString('latin1'))
    const line = fc.oneof(bytes, fc.constantFrom('User-agent: *', 'Disallow: *', 'Allow: *.png', 'Disallow:'))
    fc.assert(
      fc.property(fc.array(line), fc.webUrl({ withQueryParameters: true }), (lines, url) => {
        for (const { use } of new AiTxt(lines.join('\n'), 'orbweaver').statements(url))
          expect(AI_USES).toContain(use)
      }),
      { numRuns: 100 },
    )
  })
})
