import fc from 'fast-check'
import { Parser } from 'htmlparser2'
import { describe, expect, it } from 'vitest'
import { soup, wellNested } from '../../../testing/html/html-arbitrary.ts'
import { type PlainNode, plainBelow } from '../../../testing/html/plain-tree.ts'
import { buildHtmlTree } from './build-html-tree.ts'
import { textIn, verbatim } from './decode-markup.ts'

describe('buildHtmlTree', () => {
  it('builds the tree that htmlparser2 builds', () => {
    const html = fc
      .oneof(soup, wellNested, pieces)
      .map((text) => `${text.replace(/\r\n?/g, '\n')}${COMPLETE}`)
    fc.assert(
      fc.property(html, (text) => {
        expect(plainBelow(buildHtmlTree(text))).toEqual(byHtmlparser2(text))
      }),
      { numRuns: 500 },
    )
  })

  it.each([
    ['<p>a</p', ['<p>', 'a']],
    ['<p>a</p ', ['<p>', 'a']],
    ['a<scr', ['a']],
    ['a<b c="', ['a']],
    ['a<b /', ['a']],
    ['a<', ['a<']],
    ['a</', ['a</']],
    ['a</p ', ['a']],
    ['a<!', ['a', '8:']],
    ['a<!doctype', ['a']],
    ['a<!doc', ['a', '8:doc']],
    ['a<!-- b --', ['a', '8: b ']],
    ['a<![CDATA[ b', ['a', '8:[CDATA[ b']],
    ['<title>a</titl', ['<title>', 'a</titl']],
    ['<script>a</script', ['<script>', 'a</script']],
  ])('drops a tag that the end of the page cuts off, and nothing else: %s', (html, nodes) => {
    expect(flat(plainBelow(buildHtmlTree(html)))).toEqual(nodes)
  })

  it('takes names in any case for one, and the first of two attributes', () => {
    const [element] = plainBelow(buildHtmlTree('<X-Y HREF=a href=b Ä=c></x-Y>d'))
    expect(element).toEqual({ name: 'x-y', attributes: { href: 'a', Ä: 'c' }, children: [] })
  })

  it('tells the same about attributes by name as in a list', () => {
    const names = ['class', 'href', 'b', 'c', 'id', 'hidden']
    fc.assert(
      fc.property(fc.oneof(soup, pieces, attributes), (text) => {
        const root = buildHtmlTree(text.replace(/\r\n?/g, '\n'))
        for (let element = root.following; element !== null; element = element.following) {
          const values = names.map((name) => element.attribute(name))
          const named = element.attributesNamed(names)
          const has = names.map((name) => element.hasAttribute(name))
          const { isBare } = element
          expect(names.map((_, i) => named[i])).toEqual(values)
          expect(has).toEqual(values.map((value) => value !== undefined))
          const listed = new Map(element.attributeNames.map((name) => [name, element.attribute(name)]))
          expect(names.map((name) => listed.get(name))).toEqual(values)
          expect(names.map((name) => element.hasAttribute(name))).toEqual(has)
          expect(element.attributesNamed(names)).toEqual(values)
          if (isBare) expect(listed.size).toBe(0)
        }
      }),
    )
  })

  it.each([
    [' \n\t\f ', true],
    ['', false],
    [' a', false],
    ['&nbsp;', false],
    ['\u00a0', false],
  ])('tells that a text is nothing but white space: %j', (text, isBlank) => {
    const node = buildHtmlTree(`<p>${text}<b>`).following?.firstChild
    expect(node?.nodeType === 3 && node.isBlank).toBe(isBlank)
  })
})

/** Start tags with attributes that repeat, in any case. */
const attributes = fc
  .array(fc.constantFrom(...'class=x CLASS=y href="a&amp;b" id B b=1 c= hidden d /'.split(' ')), {
    maxLength: 6,
  })
  .map((list) => `<p ${list.join(' ')}>`)

/** Ends every tag and comment, and is text otherwise: of tags that are cut off htmlparser2 leaves some letters behind. */
const COMPLETE = '-->x'

/** What reading depends on, in any order. */
const pieces = fc
  .array(
    fc.constantFrom(
      ...'<p> </p> <div> </div> <ul><li> <li> </ul> <a> <a/> </a> <br> </br> <hr/> <h1> <h2> </h2> <td> <tr> <th> </table>'.split(
        ' ',
      ),
      ...'<form> </form> <select> <option> <optgroup> <button> <dl><dt> <dd> <rt> <rp> <image> </image> <body> <head> <script>'.split(
        ' ',
      ),
      ...'<svg> <svg/> </svg> <math> </math> <mi> <desc> <title> </title> <foreignObject> </foreignobject> <CLIPPATH> </clippath>'.split(
        ' ',
      ),
      ...'<style> </style> </script > <textarea> </textarea/> <xmp> </xmp> <plaintext> <noframes> <noembed> </noembed>'.split(
        ' ',
      ),
      ...[
        '<![CDATA[ a < b ]]>',
        '<![cdata[x]]>',
        '<!-->',
        '<!--->',
        '<!-- a -- b --!>',
        '<!---a--->',
        '<!-',
        '<!x',
        '<?php ?>',
      ],
      ...[
        '</ x>',
        '</>',
        '</3>',
        '<3',
        '<',
        '<<p>',
        '<!DocType html>',
        '<!doctypo>',
        ' text ',
        '&amp;',
        '&lt',
        '\0',
        'é',
        '"',
        "'",
        '>',
      ],
      ...[
        '<a href="x">',
        "<a href='>'>",
        '<a href=x/>',
        '<a b c= d>',
        '<a / b>',
        '<g/ >',
        '<a =b>',
        '<a b="1"c="2">',
        '<a b-1="x">',
      ],
      ...[
        '<p a\n=\n"b">',
        '<x-y>',
        '</X-Y>',
        '<DIV CLASS=a class=b>',
        '<path d="M0"/>',
        '<circle / >',
        '<b a="&amp;&copy=1">',
        '<i "x"/>',
      ],
    ),
    { maxLength: 30 },
  )
  .map((list) => list.join(''))

/** htmlparser2's events as a tree; references are decoded as ours are. */
function byHtmlparser2(html: string): PlainNode[] {
  const root = { name: '', attributes: {}, children: [] as PlainNode[] }
  const open = [root]
  const innermost = () => open.at(-1) ?? root
  let inCdata = false
  let text: { text: string } | undefined
  const add = (node: PlainNode) => {
    innermost().children.push(node)
    text = undefined
  }
  const parser = new (class extends Parser {
    override oncdata(start: number, endIndex: number, offset: number): void {
      inCdata = true
      super.oncdata(start, endIndex, offset)
      inCdata = false
    }
  })(
    {
      onopentag(name, attributes) {
        const decoded = Object.entries(attributes).map(([key, value]) => [key, attributeValue(value)])
        const element = { name, attributes: Object.fromEntries(decoded), children: [] }
        add(element)
        open.push(element)
      },
      onclosetag() {
        if (open.length > 1) open.pop()
        text = undefined
      },
      ontext(data) {
        const said = inCdata ? verbatim(data) : textIn(data, 0, data.length, innermost().name)
        if (text !== undefined) text.text += said
        else {
          const node = { text: said }
          add(node)
          text = node
        }
      },
      oncomment: (data) => add({ type: 8, data }),
      onprocessinginstruction: (_name, data) => add({ type: 7, data }),
    },
    { decodeEntities: false },
  )
  parser.end(html)
  return root.children
}

function attributeValue(written: string): string {
  const quote = written.includes('"') ? "'" : '"'
  const [element] = plainBelow(buildHtmlTree(`<a b=${quote}${written}${quote}>`))
  return (element !== undefined && 'attributes' in element && element.attributes['b']) || ''
}

function flat(nodes: readonly PlainNode[]): string[] {
  return nodes.flatMap((node) => {
    if ('children' in node) return [`<${node.name}>`, ...flat(node.children)]
    return 'text' in node ? [node.text] : [`${node.type}:${node.data}`]
  })
}
