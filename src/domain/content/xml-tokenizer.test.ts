import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { XmlTokenizer, xmlAttribute, xmlAttributes } from './xml-tokenizer.ts'

describe('XmlTokenizer', () => {
  it.each([
    ['<a>x</a>', ['<a>', 'x', '</a>']],
    ['<A B="c"/>', ['<A B="c">', '</A>']],
    ['<b:C d="e" / >', ['<b:C d="e" >', '</b:C>']],
    ['<a><![CDATA[x < y && z]]></a>', ['<a>', 'x < y && z', '</a>']],
    ['<a><![CDATA[]]]]><![CDATA[>]]></a>', ['<a>', ']]', '>', '</a>']],
    ['<!-- <a> --- --><b>', ['8: <a> --- ', '<b>']],
    ['<?xml version="1.0"?><?x ??><b>', ['7:?xml version="1.0"', '7:?x ?', '<b>']],
    ['<![CDATA[]]><!----><??>', ['', '8:', '7:?']],
    ['a &amp; b &lt;&#65;&#x42;&#0;&#xD800; &nbsp; &e;', ['a & b <AB\ufffd\ufffd &nbsp; &e;']],
    ['&#0000000065;&#x110000;&#x96;', ['A\ufffd\u0096']],
    ['&amp;lt;', ['&lt;']],
    ['<a b="x>y"><c d=\'<\'>', ['<a b="x>y">', "<c d='<'>"]],
    ['<a <b>', ['<a>', '<b>']],
    ["<a b=it's><c>", ["<a b=it's>", '<c>']],
    ['1 < 2', ['1 ', '< 2']],
    ['<><//></ ><1>', ['<1>']],
    ['<!DOCTYPE a><b>', ['7:!DOCTYPE a', '<b>']],
    [
      '<!DOCTYPE a [<!ENTITY e "<!ENTITY x>"><!-- ] x > -->] ><b>&e;',
      ['7:!DOCTYPE a [<!ENTITY e "<!ENTITY x>"><!-- ] x > -->] ', '<b>', '&e;'],
    ],
    ['<!><b>', ['7:!', '<b>']],
    ['<![if x]><b>', ['7:![if x]', '<b>']],
    ['<a', []],
    ['<a>text', ['<a>', 'text']],
    ['<a><![CDATA[cut', ['<a>', 'cut']],
    ['<!-- never closed <a>', ['8: never closed <a>']],
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

  it('agrees with xmlAttributes on any text', () => {
    const unit = fc.constantFrom('a', 'b', '=', '"', "'", ' ', '/', '&lt;')
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 20 }), (attributes) => {
        const first = xmlAttributes(attributes).get('a')
        // Empty: it may be one without a value, which xmlAttribute passes over.
        if (first !== undefined && first !== '') expect(xmlAttribute(attributes, 'a')).toBe(first)
        if (first === undefined) expect(xmlAttribute(attributes, 'a')).toBeUndefined()
      }),
    )
  })
})

describe('xmlAttributes', () => {
  it('returns all attributes by their names as written', () => {
    const attributes = ' A="1" a=\'&lt;"2\' b:c = "3" d e=5 a="6"'
    expect([...xmlAttributes(attributes)]).toEqual([
      ['A', '1'],
      ['a', '<"2'],
      ['b:c', '3'],
      ['d', ''],
      ['e', '5'],
    ])
    expect(xmlAttributes('')).toEqual(new Map())
  })
})

function tokens(chunks: readonly string[]): string[] {
  const seen: string[] = []
  const tokenizer = new XmlTokenizer({
    open: (name, attributes) => seen.push(`<${name}${attributes}>`),
    close: (name) => seen.push(`</${name}>`),
    text: (text) => seen.push(text),
    comment: (text) => seen.push(`8:${text}`),
    instruction: (text) => seen.push(`7:${text}`),
  })
  for (const chunk of chunks) tokenizer.push(chunk)
  tokenizer.end()
  return seen
}
