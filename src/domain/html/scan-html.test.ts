import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readWithParse5 } from '../../../testing/html/parse5-oracle.ts'
import { scanHtml } from './scan-html.ts'

const hrefs = (html: string) => scanHtml(html).links.map((link) => link.href)
const anchors = (html: string) => scanHtml(html).links.map((link) => link.anchor)
const text = (html: string) => scanHtml(html).text

describe('scanHtml: text', () => {
  it('puts each block on a line of its own', () => {
    expect(text('<h1>One</h1><p>two <b>bold</b>\n  three</p><ul><li>a<li>b</ul>end')).toBe(
      'One\ntwo bold three\na\nb\nend',
    )
  })

  it('separates table cells by a tab and rows by a line', () => {
    expect(text('<table><tr><th>a</th><th>b</th></tr><tr><td>1<td>2</table>')).toBe('a\tb\n1\t2')
  })

  it('keeps white space in pre and textarea, without their first newline', () => {
    expect(text('a<pre>\n x  y\r\n z\n</pre>b')).toBe('a\n x  y\n z\nb')
    expect(text('<textarea>\r\n1  2</textarea>  3')).toBe('1  2 3')
  })

  it('leaves out what is not for readers', () => {
    const hidden =
      '<script>s</script><style>c</style><template>t</template><svg><text>v</text></svg><iframe>i</iframe>'
    expect(text(`<title>T</title>a${hidden}b<!-- c --><noframes>n</noframes>`)).toBe('ab')
  })

  it('reads noscript as markup, since no script runs here', () => {
    const scan = scanHtml('<noscript><p>plain <a href=/n>n</a></p></noscript>')
    expect(scan.text).toBe('plain n')
    expect(scan.links).toHaveLength(1)
  })

  it('shows xmp and plaintext as they stand', () => {
    expect(text('<xmp><b>&amp;</b></xmp><plaintext><i>&lt;</plaintext>')).toBe(
      '<b>&amp;</b>\n<i>&lt;</plaintext>',
    )
  })

  it('keeps characters beyond Latin-1 and beyond 16 bits', () => {
    expect(text('<p>žluťoučký &#x1F600; 漢字 😀')).toBe('žluťoučký 😀 漢字 😀')
  })

  it('drops NUL from text and replaces it in raw text', () => {
    expect(text('a\0b<textarea>c\0d</textarea>')).toBe('abc\uFFFDd')
  })
})

describe('scanHtml: links', () => {
  it('gives kind, href, anchor text and rel in document order', () => {
    const html =
      '<link rel="Next" href=" /2 "><a href="/a" rel="nofollow  UGC">one <i>two</i></a>' +
      '<map><area href=b alt="the  area"></map><iframe src=c></iframe><a name=x>not a link</a>'
    expect(scanHtml(html).links).toEqual([
      { kind: 'link', href: '/2', anchor: '', rel: ['next'] },
      { kind: 'a', href: '/a', anchor: 'one two', rel: ['nofollow', 'ugc'] },
      { kind: 'area', href: 'b', anchor: 'the area', rel: [] },
      { kind: 'iframe', href: 'c', anchor: '', rel: [] },
    ])
  })

  it('takes the alternative text of an image when a link has no text', () => {
    expect(anchors('<a href=1> <img alt=""><img alt="a  b"></a><a href=2><img alt=x> text</a>')).toEqual([
      'a b',
      'text',
    ])
  })

  it('ends a link at the next one and at the edge of its table cell, not at a table inside it', () => {
    expect(anchors('<a href=1>one<a href=2>two</a> three')).toEqual(['one', 'two'])
    expect(anchors('<table><td><a href=1>one<td>two</table>')).toEqual(['one'])
    expect(anchors('<a href=1><table><td>one<td>two</table>three</a>')).toEqual(['one two three'])
  })

  it('does not take text for an anchor that stands in place of its space', () => {
    expect(anchors('<textarea>x\n</textarea><a href=1> </a><div>word</div>')).toEqual([''])
  })

  it('does not lose the start of an anchor after a space that a break takes back', () => {
    expect(anchors('<textarea>x\n</textarea> <td><a href=1>word</a>')).toEqual(['word'])
    expect(anchors('x <p><a href=1> <b>word</b> </a> ')).toEqual(['word'])
  })

  it('turns line breaks inside an anchor into spaces', () => {
    expect(anchors('<a href=1><div>one</div><div>two</div></a>')).toEqual(['one two'])
  })

  it('reports images, scripts, sources and GET forms only on request', () => {
    const html =
      '<img src=i alt=I><script src=s></script><source src=o><form action=f></form><form method=POST action=p></form>'
    expect(hrefs(html)).toEqual([])
    const { links } = scanHtml(html, { also: ['img', 'script', 'source', 'form'] })
    expect(links.map(({ kind, href, anchor }) => [kind, href, anchor])).toEqual([
      ['img', 'i', 'I'],
      ['script', 's', ''],
      ['source', 'o', ''],
      ['form', 'f', ''],
    ])
  })

  it('takes none from a template, nor from what only looks like markup', () => {
    const inert = '<template><a href=t></a><template></template><a href=u></a></template>'
    const raw =
      '<!-- <a href=c> --><script>"<a href=s>"</script><textarea><a href=x></textarea><title><a href=y></title>'
    expect(hrefs(`${inert}${raw}<a href=ok></a>`)).toEqual(['ok'])
  })

  it('takes links from an image, and reads on as HTML when an HTML element breaks out of it', () => {
    expect(hrefs('<svg><a xlink:href=1><title>t</title></a><a href=2 /></svg><a href=3></a>')).toEqual([
      '1',
      '2',
      '3',
    ])
    expect(scanHtml('<svg><path><div>seen</div><title>T</title>')).toMatchObject({ text: 'seen', title: 'T' })
    expect(text('<div><svg><path></div>seen')).toBe('seen')
    expect(text('<a href=1><svg><path></a>seen')).toBe('seen')
  })
})

describe('scanHtml: facts about the page', () => {
  it('finds title, base, language, metas and canonical', () => {
    const html = `<html lang="en-GB"><title> A &amp;\n b </title><svg><title>icon</title></svg><title>second</title>
      <base target=_top><base href="/b/"><base href="/c/">
      <meta name=ROBOTS content=noindex><meta http-equiv=Content-Language content=" de ">
      <link rel="canonical" href="https://a.test/"><link rel=canonical href=2>
      <body><meta name="googlebot" content="nofollow"><meta name=x>`
    expect(scanHtml(html)).toMatchObject({
      title: 'A & b',
      base: '/b/',
      lang: 'en-GB',
      contentLanguage: 'de',
      canonical: 'https://a.test/',
      metas: [
        { name: 'robots', content: 'noindex' },
        { name: 'googlebot', content: 'nofollow' },
      ],
    })
  })

  it('takes the first refresh that browsers would obey', () => {
    const html =
      '<meta http-equiv=refresh content=soon><meta http-equiv=Refresh content="0; URL=/x"><meta http-equiv=refresh content=9>'
    expect(scanHtml(html).refresh).toEqual({ seconds: 0, url: '/x' })
  })

  it('finds alternates and feeds', () => {
    const html = `<link rel=alternate hreflang=DE href=/de><link rel="alternate" hreflang=x-default href=/>
      <link rel=alternate type="application/rss+xml; charset=utf-8" title=News href=/rss>
      <link rel=alternate type=application/atom+xml href=/atom><link rel=alternate type=application/feed+json href=/json>
      <link rel=alternate type=application/json href=/wp-json><link rel=feed href=/feed>`
    const { alternates, feeds } = scanHtml(html)
    expect(alternates).toEqual([
      { hreflang: 'de', href: '/de' },
      { hreflang: 'x-default', href: '/' },
    ])
    expect(feeds).toEqual([
      { href: '/rss', format: 'rss', title: 'News' },
      { href: '/atom', format: 'atom', title: '' },
      { href: '/json', format: 'json', title: '' },
      { href: '/feed', format: 'unknown', title: '' },
    ])
  })

  it('says nothing about an empty page', () => {
    expect(scanHtml('')).toMatchObject({
      title: '',
      text: '',
      links: [],
      base: undefined,
      refresh: undefined,
    })
  })
})

describe('scanHtml: caps', () => {
  it('keeps maxLinks links and counts the others', () => {
    const scan = scanHtml('<a href=1>a</a><a href=2>b</a><a href=3>c</a>', { maxLinks: 2 })
    expect(scan.links.map((link) => link.anchor)).toEqual(['a', 'b'])
    expect(scan.linksDropped).toBe(1)
    expect(scanHtml('<a href=1>a</a>', { maxLinks: 1 }).linksDropped).toBe(0)
  })

  it('stops at maxTextChars and says so, but still reads the anchors behind it', () => {
    const scan = scanHtml(
      '<p>one two</p>  <a href=1>three</a> four <a href=2>five  six</a><pre><a href=3>7  8</a></pre>',
      {
        maxTextChars: 9,
      },
    )
    expect(scan).toMatchObject({ text: 'one two\nt', textTruncated: true })
    expect(scan.links.map((link) => link.anchor)).toEqual(['t', 'five six', '7 8'])
    expect(scanHtml('<p>one two</p> \n', { maxTextChars: 7 })).toMatchObject({
      text: 'one two',
      textTruncated: false,
    })
  })

  it('does not cut a character in half', () => {
    expect(scanHtml('ab😀', { maxTextChars: 3 }).text).toBe('ab')
    expect(scanHtml('<title>ab😀</title>', { maxTitleChars: 3 }).title).toBe('ab')
    expect(scanHtml('<a href=1>ab😀', { maxAnchorChars: 3 }).links[0]?.anchor).toBe('ab')
  })

  it('cuts titles, anchors and metas', () => {
    const html =
      '<title>abcdef</title><a href=1>abcdef</a><a href=2><img alt=abcdef></a><area href=3 alt=abcdef><meta name=a content><meta name=b content>'
    const scan = scanHtml(html, { maxTitleChars: 3, maxAnchorChars: 2, maxFacts: 1 })
    expect(scan.title).toBe('abc')
    expect(scan.links.map((link) => link.anchor)).toEqual(['ab', 'ab', 'ab'])
    expect(scan.metas).toEqual([{ name: 'a', content: '' }])
  })
})

describe('scanHtml: hostile input', () => {
  const MANY = 20_000
  // Each would take minutes, or the whole stack, if anything were quadratic or recursive.
  it.each([
    ['deep nesting', '<div>'.repeat(MANY)],
    ['deep images', '<svg><g>'.repeat(MANY) + '</math></g>'.repeat(MANY)],
    ['deep templates', '<template>'.repeat(MANY) + '</template>'.repeat(MANY)],
    ['many attributes', `<a ${'x=1 href=2 '.repeat(MANY)}>a</a>`],
    ['unfinished links', '<a'.repeat(MANY)],
    ['links', '<a href=x>'.repeat(MANY)],
    ['one long line', 'word &amp; '.repeat(MANY)],
    ['unclosed script escapes', '<script><!--</script>'.repeat(MANY)],
    ['unclosed comments', '<!--'.repeat(MANY)],
    ['dashes', `<!--${'-'.repeat(MANY)}`],
    ['raw text end tags', `<style>${'</'.repeat(MANY)}`],
    ['ampersands', '&'.repeat(MANY)],
    ['long references', `&${'a'.repeat(MANY)};&#${'9'.repeat(MANY)};`],
    ['less-than signs', '<'.repeat(MANY)],
    ['cdata', '<svg><![CDATA['.repeat(MANY)],
    ['open quotes', '<a href="'.repeat(MANY)],
    ['long title', `<title>${'x '.repeat(MANY)}`],
    ['preformatted', '<pre>\r\n'.repeat(MANY)],
  ])('survives %s', (_, html) => {
    const scan = scanHtml(html)
    expect(scan.links.length).toBeLessThanOrEqual(MANY)
    expect(scan.text.length).toBeLessThanOrEqual(1_000_000)
  })

  it('gives the same result after a giant page as before', () => {
    const before = scanHtml('<p>a</p>b')
    scanHtml('x'.repeat(3_000_000), { maxTextChars: 3_000_000 })
    expect(scanHtml('<p>a</p>b')).toEqual(before)
  })
})

describe('scanHtml: samples', () => {
  const directory = join(import.meta.dirname, '../../../testing/html/samples')
  it.each(readdirSync(directory))('reads %s as parse5 does', (file) => {
    const html = readFileSync(join(directory, file), 'utf8')
    expect(scanHtml(html)).toMatchObject({ ...readWithParse5(html) })
  })
})

it('calls a link by its image when its text is nothing but white space, in a pre too', () => {
  const { links } = scanHtml('<pre><a href="/">\r<img alt="word"></a></pre>')
  expect(links.map(({ anchor }) => anchor)).toEqual(['word'])
})
