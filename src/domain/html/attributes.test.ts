import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Attributes, attributeNamed } from './attributes.ts'
import { CharacterReference } from './character-references.ts'
import { codeUnitsOf } from './code-units.ts'

const HREF = attributeNamed('href')
const REL = attributeNamed('rel')

/** `tail` follows the name of the tag. */
function read(tail: string) {
  const attributes = new Attributes(tail, codeUnitsOf(tail), new CharacterReference())
  const end = attributes.read(0)
  return {
    end,
    href: attributes.value(HREF),
    rel: attributes.value(REL),
    selfClosing: attributes.selfClosing,
  }
}

describe('Attributes', () => {
  it.each([
    [' href="a>b" rel=\'c"d\'>', { href: 'a>b', rel: 'c"d' }],
    [' HREF = a\n rel=b>', { href: 'a', rel: 'b' }],
    [' href=a/>', { href: 'a/', selfClosing: false }],
    [' href="a"/>', { href: 'a', selfClosing: true }],
    ['/href=a / >', { href: 'a', selfClosing: false }],
    [' href=1 href=2>', { href: '1' }],
    [' href rel>', { href: '', rel: '' }],
    [' href= >', { href: '' }],
    [' href="a"rel=b>', { href: 'a', rel: 'b' }],
    [' =href=a rel==b>', { href: undefined, rel: '=b' }],
    [' href/=a>', { href: '' }],
    [' "href=a rel=b>', { href: undefined, rel: 'b' }],
    [' href="&amp;&copy=\r\n\0" rel="&lt;x">', { href: '&&copy=\n\uFFFD', rel: '<x' }],
    [' xhref=a hrefx=b>', { href: undefined }],
  ])('reads %j as the standard says', (tail, expected) => {
    expect(read(tail)).toMatchObject({ ...expected, end: tail.length })
  })

  it.each([' href="a', ' href=', ' href', ' ', ' href=a', " rel='x>"])('says that %j is cut off', (tail) => {
    expect(read(tail).end).toBe(-1)
  })

  it('skips a tag to where reading it ends', () => {
    const piece = fc.constantFrom(
      ...[' a="b"', " a='b>'", '="', "='", ' a=b', ' a = "b"', 'a', '1', ' ', '\n'],
      ...['/', '=', '"', "'", '>', '\0', 'é', '<'],
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const tail = ` ${pieces.join('')}`
        const attributes = new Attributes(tail, codeUnitsOf(tail), new CharacterReference())
        const skipped = { end: attributes.skip(0), selfClosing: attributes.selfClosing }
        const { end, selfClosing } = read(tail)
        expect(skipped).toEqual({ end, selfClosing })
      }),
      { numRuns: 2_000 },
    )
  })

  it('forgets the attributes of the tag before', () => {
    const html = ' href=a> rel=b>'
    const attributes = new Attributes(html, codeUnitsOf(html), new CharacterReference())
    attributes.read(attributes.read(0))
    expect(attributes.value(HREF)).toBeUndefined()
    attributes.clear()
    expect(attributes.has(REL)).toBe(false)
  })
})
