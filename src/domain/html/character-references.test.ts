import fc from 'fast-check'
import { type DefaultTreeAdapterMap, parseFragment } from 'parse5'
import { describe, expect, it } from 'vitest'
import { CharacterReference, decodeAttribute, decodeTitle } from './character-references.ts'
import { LEGACY_REFERENCES, NAMED_REFERENCES } from './named-references.ts'

const inAttribute = (value: string) => decodeAttribute(value, 0, value.length, new CharacterReference())
const inText = (value: string) => decodeTitle(value, 0, value.length, new CharacterReference())

/** What parse5 makes of it. The quotes around stand for what follows a reference in an attribute. */
const parsed = (value: string) => {
  const [element] = parseFragment(`<textarea title="${value}">\n${value}</textarea>`).childNodes
  const { attrs, childNodes } = element as DefaultTreeAdapterMap['element']
  const [text] = childNodes as Array<DefaultTreeAdapterMap['textNode'] | undefined>
  return { inAttribute: attrs[0]?.value ?? '', inText: text?.value ?? '' }
}

describe('character references', () => {
  it('knows every name of the standard, with and without its semicolon, as parse5 does', () => {
    expect([NAMED_REFERENCES.size, LEGACY_REFERENCES.size]).toEqual([2125, 106])
    const names = [...NAMED_REFERENCES.keys()]
    const value = names.flatMap((name) => [`&${name};`, `&${name} `, `&${name}x`, `&${name}=`]).join('|')
    expect({ inAttribute: inAttribute(value), inText: inText(value) }).toEqual(parsed(value))
  })

  it.each([
    ['&amp;lt;', '&lt;', '&lt;'],
    ['?a=1&copy=2&amp;b&lt', '?a=1&copy=2&b<', '?a=1©=2&b<'],
    ['&notit; &notin;', '&notit; ∉', '¬it; ∉'],
    ['&#x80;&#150;&#X41;&#65', '€–AA', '€–AA'],
    ['&#0;&#xD800;&#x110000;&#99999999999999999999;', '\uFFFD'.repeat(4), '\uFFFD'.repeat(4)],
    ['&#; &#x; &; & &1;', '&#; &#x; &; & &1;', '&#; &#x; &; & &1;'],
    ['&NotEqualTilde;', '\u2242\u0338', '\u2242\u0338'],
    ['a\r\nb\rc\0', 'a\nb\nc\uFFFD', 'a\nb\nc\uFFFD'],
  ])('decodes %j to %j in an attribute and to %j in text', (value, attribute, text) => {
    expect(inAttribute(value)).toBe(attribute)
    expect(inText(value)).toBe(text)
  })

  it('agrees with parse5 on any mixture', () => {
    const piece = fc.constantFrom(
      ...[
        '&',
        '#',
        'x',
        'X',
        ';',
        '=',
        'amp',
        'lt',
        'not',
        'in',
        'copy',
        'A',
        '1',
        '80',
        'fffe',
        'é',
        ' ',
        '\r',
        '\n',
        '\0',
      ],
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const value = pieces.join('')
        expect({ inAttribute: inAttribute(value), inText: inText(value) }).toEqual(parsed(value))
      }),
      { numRuns: 1_000 },
    )
  })
})
