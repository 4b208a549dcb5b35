import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { XmlTokenizer, xmlAttribute } from './xml-tokenizer.ts'

describe('XmlTokenizer', () => {
  it.each([
    ['<a>x</a>', ['<a>', 'x', '</a>']],
    ['<A B="c"/>', ['<a B="c">', '</a>']],
    ['<a><![CDATA[x < y && z]]></a>', ['<a>', 'x < y && z', '</a>']],
    ['<a><![CDATA[]]]]><![CDATA[>]]></a>', ['<a>', ']]', '>', '</a>']],
    ['<!-- <a> --- --><b>', ['<b>']],
    ['<?xml version="1.0"?><?x ??><b>', ['<b>']],
    ['a &amp; b &lt;&#65;&#x42;&#0;&#xD800; &nbsp; &e;', ['a & b <AB\ufffd\ufffd &nbsp; &e;']],
    ['&amp;lt;', ['&lt;']],
    ['<a b="x>y"><c d=\'<\'>', ['<a b="x>y">', "<c d='<'>"]],
    ['<a <b>', ['<a >', '<b>']],
    ['<><//></ ><1>', ['<1>']],
    ['<!DOCTYPE a><b>', ['<b>']],
    ['<!DOCTYPE a [<!ENTITY e "<!ENTITY x>"><!-- ] x > -->] ><b>&e;', ['<b>', '&e;']],
    ['<!><b>', ['<b>']],
    ['<![if x]><b>', ['<b>']],
    ['<a', []],
    ['<a>text', ['<a>', 'text']],
    ['<a><![CDATA[cut', ['<a>', 'cut']],
    ['<!-- never closed <a>', []],
  ])('reads %s', (xml, expected) => {
    expect(tokens([xml])).toEqual(expected)
  })

  it('gives the same tokens wherever the chunks are cut', () => {
    const unit = fc.constantFrom(
      '<',
      '>',
      '/',
      '!',
      '--',
      '-',
      '[',
      'CDATA[',
      ']',
      ']]>',
      '?',
      '"',
      "'",
      '&',
      'amp;',
      'a',
      ' ',
      '=',
      'DOCTYPE',
    )
    const cuts = fc.array(fc.nat({ max: 80 }), { maxLength: 6 })
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 40 }), cuts, (xml, at) => {
        const points = [0, ...at.filter((cut) => cut < xml.length).sort((a, b) => a - b), xml.length]
        const chunks = points.slice(1).map((end, i) => xml.slice(points[i], end))
        expect(tokens(chunks)).toEqual(tokens([xml]))
        expect(tokens([...xml])).toEqual(tokens([xml]))
      }),
      { numRuns: 500 },
    )
  })

  it('drops a tag and the rest of a text that never end, and continues', () => {
    const longTag = `<a b="${'x'.repeat(70_000)}">`
    expect(tokens([`${longTag}<c>`]).at(-1)).toBe('<c>')
    const [text] = tokens(['y'.repeat(70_000), '<c>'])
    expect(text).toHaveLength(65_536)
    const [cdata] = tokens([`<![CDATA[${'z'.repeat(70_000)}]]>`])
    expect(cdata).toBe('z'.repeat(65_536))
    expect(tokens([`<![CDATA[${'z'.repeat(65_535)}]]>`])).toEqual(['z'.repeat(65_535)])
  })

  it('reads any number of open tags without a stack', () => {
    let depth = 0
    const tokenizer = new XmlTokenizer({ open: () => depth++, close() {}, text() {} })
    tokenizer.push('<a>'.repeat(200_000))
    expect(depth).toBe(200_000)
  })
})

describe('xmlAttribute', () => {
  it.each([
    [' href="a&amp;b" x=\'1\'', 'href', 'a&b'],
    [' HREF = "a"', 'href', 'a'],
    [" x='1' href='2'", 'href', '2'],
    [' href=bare x', 'href', 'bare'],
    [' x="href=1" href="2"', 'href', '2'],
    [' href="open', 'href', 'open'],
    [' checked href="2"', 'href', '2'],
    [' xhref="1"', 'href', undefined],
    [' href', 'href', undefined],
    ['', 'href', undefined],
  ])('finds in %j the value of %s: %j', (attributes, name, value) => {
    expect(xmlAttribute(attributes, name)).toBe(value)
  })

  it('always ends', () => {
    const unit = fc.constantFrom('a', '=', '"', "'", ' ', '/', '&lt;')
    fc.assert(fc.property(fc.string({ unit }), (attributes) => void xmlAttribute(attributes, 'a')))
  })
})

function tokens(chunks: readonly string[]): string[] {
  const seen: string[] = []
  const tokenizer = new XmlTokenizer({
    open: (name, attributes) => seen.push(`<${name}${attributes}>`),
    close: (name) => seen.push(`</${name}>`),
    text: (text) => seen.push(text),
  })
  for (const chunk of chunks) tokenizer.push(chunk)
  tokenizer.end()
  return seen
}
