import fc from 'fast-check'
import { parseDocument as parseByHtmlparser2 } from 'htmlparser2'
import { describe, expect, it } from 'vitest'
import { type PlainNode, plainBelow } from '../../../testing/html/plain-tree.ts'
import { buildXmlTree } from './build-xml-tree.ts'
import { MAX_DEPTH } from './nodes.ts'

describe('buildXmlTree', () => {
  it('builds the tree that htmlparser2 builds from well-formed XML', () => {
    fc.assert(
      fc.property(wellFormed, (xml) => {
        expect(plainBelow(buildXmlTree(xml))).toEqual(byHtmlparser2(xml))
      }),
      { numRuns: 400 },
    )
  })

  it('keeps texts, CDATA sections, comments and attributes of any length', () => {
    const long = 'x'.repeat(200_000)
    const xml = `<a b="${long}">${long}<c><![CDATA[${long}]]></c><!--${long}--><?d ${long}?></a>`
    expect(plainBelow(buildXmlTree(xml))).toEqual(byHtmlparser2(xml))
  })

  it('keeps a doctype with its subset as one node and does not expand its entities', () => {
    const xml = '<!DOCTYPE a [<!ENTITY e "<b/>">\n<!ELEMENT a ANY>]><a>&e;</a>'
    expect(shape(xml)).toEqual(['7:!DOCTYPE a [<!ENTITY e "<b/>">\n<!ELEMENT a ANY>]', '<a>', '&e;', '</a>'])
    // htmlparser2 ends the doctype at its first `>`.
    expect(shapeByHtmlparser2(xml)).not.toEqual(shape(xml))
  })

  it('takes elements deeper than the limit for siblings, and returns to the right level', () => {
    const top = '<a>'.repeat(MAX_DEPTH)
    const [a] = plainBelow(buildXmlTree(`${top}<b/><c></c><d>x</d>y</a>z`))
    let parent: PlainNode | undefined = a
    for (let depth = 1; depth < MAX_DEPTH - 1; depth++) parent = childrenOf(parent)[0]
    expect(flat(childrenOf(parent))).toEqual([
      ...['<a>', '<b>', '</b>', '<c>', '</c>', '<d>', '</d>', 'xy', '</a>'],
      'z',
    ])
  })

  describe('on broken XML, as htmlparser2', () => {
    it.each([
      ['<a><b>x</a>y', ['<a>', '<b>', 'x', '</b>', '</a>', 'y']],
      ['<a>x</b>y</a>', ['<a>', 'xy', '</a>']],
      ['<a>x', ['<a>', 'x', '</a>']],
      ['<a>1 < 2 &amp;&amp; 3 > 2</a>', ['<a>', '1 < 2 && 3 > 2', '</a>']],
      ['<a>x & y &nbsp; &amp z</a>', ['<a>', 'x & y &nbsp; &amp z', '</a>']],
      ['<a b=c d>x</a>', ['<a b="c" d="">', 'x', '</a>']],
      ['<a b="1" b="2"/>', ['<a b="1">', '</a>']],
      ["<a b=it's c='d'>x</a>", ['<a b="it\'s" c="d">', 'x', '</a>']],
      ['<a b="1"c="2"/>', ['<a b="1" c="2">', '</a>']],
      ['<a / >x', ['<a>', '</a>', 'x']],
      ['<a><!-- cut', ['<a>', '8: cut', '</a>']],
      ['<a><![CDATA[cut', ['<a>', 'cut', '</a>']],
      ['<a>x<b c="cut', ['<a>', 'x', '</a>']],
      ['</a>x', ['x']],
      ['', []],
    ])('%s', (xml, nodes) => {
      expect(shape(xml)).toEqual(nodes)
      expect(shapeByHtmlparser2(xml)).toEqual(nodes)
    })
  })

  describe('on broken XML, other than htmlparser2', () => {
    it.each([
      ['ends a tag at the next one', '<a <b>x</b></a>', ['<a>', '<b>', 'x', '</b>', '</a>']],
      ['closes an element after a bare value', '<a b=c/>x', ['<a b="c">', '</a>', 'x']],
      ['ends comments only at -->', '<!-- a --!> b --><c/>', ['8: a --!> b ', '<c>', '</c>']],
      ['drops a tag without a name', '<a><>x</></a>', ['<a>', 'x', '</a>']],
      ['drops an instruction that is cut', '<a/><?b c', ['<a>', '</a>']],
      ['decodes entities in any case', '<a>&AMP;</a>', ['<a>', '&', '</a>']],
    ])('%s', (_, xml, nodes) => {
      expect(shape(xml)).toEqual(nodes)
      expect(shapeByHtmlparser2(xml)).not.toEqual(nodes)
    })
  })

  it('takes any text', () => {
    const unit = fc.constantFrom(
      ...[
        '<',
        '>',
        '/',
        '!',
        '--',
        '[CDATA[',
        ']]>',
        '?',
        '"',
        "'",
        '&',
        '#x',
        ';',
        '=',
        ' ',
        'a',
        'b:c',
        '\0',
      ],
    )
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit, maxLength: 60 }), fc.string({ unit: 'binary' })), (xml) => {
        expect(flat(plainBelow(buildXmlTree(xml))).every((node) => typeof node === 'string')).toBe(true)
      }),
      { numRuns: 400 },
    )
  })
})

const name = fc.constantFrom(
  'a',
  'b',
  'Item',
  'media:title',
  'x-y',
  'dc:Date',
  'été',
  '_1',
  'a.b',
  'constructor',
)
const space = fc.constantFrom('', '', ' ', '\n', '\t ')
const reference = fc.constantFrom(
  '&amp;',
  '&lt;',
  '&gt;',
  '&quot;',
  '&apos;',
  '&#65;',
  '&#x1F600;',
  '&#150;',
  '&#xe9;',
)
const letters = fc.constantFrom('a', ' ', '\n', 'é', '😀', ';', '#', '=', '/', ']', '-', '?', '!', '>')
const text = fc
  .array(fc.oneof(letters, reference, fc.constantFrom('"', "'")), { minLength: 1, maxLength: 8 })
  .map(
    // Text must not contain the end of a CDATA section.
    (parts) => parts.join('').replaceAll(']]>', ''),
  )
const cdata = fc
  .string({ unit: fc.constantFrom('a', '<', '>', '&', '&amp;', ']', '<b>', '-->'), maxLength: 8 })
  .map((content) => `<![CDATA[${content.replaceAll(']]>', '')}]]>`)
const comment = fc
  .string({ unit: fc.constantFrom('a', '<', '>', '&amp;', '-x', ' ', '<b>', ']]>'), maxLength: 6 })
  .map((content) => `<!--${content}-->`)
const instruction = fc
  .string({ unit: fc.constantFrom('a', ' ', '<', '>', '"', '?x'), maxLength: 6 })
  .map((content) => `<?target ${content}?>`)

const value = fc.array(fc.oneof(letters, reference), { maxLength: 6 }).map((parts) => parts.join(''))
const attribute = fc
  .tuple(
    fc.constantFrom('href', 'xmlns', 'xmlns:media', 'xml:lang', 'B', 'b', '__proto'),
    space,
    space,
    fc.constantFrom('"', "'"),
    value,
  )
  .map(([key, before, after, quote, content]) => ({
    key,
    written: ` ${key}${before}=${after}${quote}${content}${quote}`,
  }))
const attributes = fc
  .uniqueArray(attribute, { selector: ({ key }) => key, maxLength: 4 })
  .map((list) => list.map(({ written }) => written).join(''))

const { element } = fc.letrec<{ element: string; content: string }>((tie) => ({
  element: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.tuple(name, attributes, space).map(([tag, written, end]) => `<${tag}${written}${end}/>`),
    fc
      .tuple(name, attributes, space, fc.array(tie('content'), { maxLength: 5 }), space)
      .map(
        ([tag, written, gap, content, end]) => `<${tag}${written}${gap}>${content.join('')}</${tag}${end}>`,
      ),
  ),
  content: fc.oneof({ maxDepth: 4 }, text, cdata, comment, instruction, tie('element')),
}))

const wellFormed = fc
  .tuple(
    fc.constantFrom('', '<?xml version="1.0" encoding="UTF-8"?>\n'),
    fc.constantFrom('', '<!DOCTYPE a>', '<!DOCTYPE a PUBLIC "-//X//Y" "http://x.test/a.dtd">\n'),
    fc.array(fc.oneof(comment, instruction), { maxLength: 2 }),
    element,
    fc.array(fc.oneof(comment, instruction, fc.constant('\n')), { maxLength: 2 }),
  )
  .map(([declaration, doctype, before, root, after]) =>
    [declaration, doctype, ...before, root, ...after].join(''),
  )

type ForeignNode = ReturnType<typeof parseByHtmlparser2>['children'][number]

/** A CDATA section is text, and text next to text is one. */
function byHtmlparser2(xml: string): PlainNode[] {
  const plainOf = (nodes: readonly ForeignNode[]) => {
    const plain: PlainNode[] = []
    for (const node of nodes) {
      if (node.type === 'text' || node.type === 'cdata') {
        const data =
          node.type === 'text'
            ? node.data
            : node.children.map((part) => ('data' in part ? part.data : '')).join('')
        const last = plain.at(-1)
        if (last !== undefined && 'text' in last) last.text += data
        else plain.push({ text: data })
      } else if ('attribs' in node) {
        plain.push({
          name: node.name,
          attributes: node.attribs,
          children: plainOf(node.children),
        })
      } else if ('data' in node) plain.push({ type: node.type === 'comment' ? 8 : 7, data: node.data })
    }
    return plain
  }
  return plainOf(parseByHtmlparser2(xml, { xmlMode: true }).children)
}

const shape = (xml: string) => flat(plainBelow(buildXmlTree(xml)))
const shapeByHtmlparser2 = (xml: string) => flat(byHtmlparser2(xml))

/** Tags, texts, comments and instructions in order. */
function flat(nodes: readonly PlainNode[]): string[] {
  return nodes.flatMap((node) => {
    if ('text' in node) return [node.text]
    if ('type' in node) return [`${node.type}:${node.data}`]
    const written = Object.entries(node.attributes)
      .map(([key, content]) => ` ${key}="${content}"`)
      .join('')
    return [`<${node.name}${written}>`, ...flat(node.children), `</${node.name}>`]
  })
}

function childrenOf(node: PlainNode | undefined): PlainNode[] {
  return node !== undefined && 'children' in node ? node.children : []
}
