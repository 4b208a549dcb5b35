import fc from 'fast-check'
import MarkdownIt from 'markdown-it'
import { describe, expect, it } from 'vitest'
import { scanHtml } from '../../html/scan-html.ts'
import { buildTree } from '../../selectors/document.ts'
import { contentText } from '../content-text.ts'
import { findMainContent } from '../find-main-content.ts'
import { markdownOf } from './markdown-of.ts'

const everything = (html: string) => ({
  ...findMainContent(buildTree('', 'html')),
  top: buildTree(html, 'html'),
})
const resolve = (href: string) => {
  const url = URL.parse(href, 'https://a.test/dir/page')
  return url?.protocol === 'https:' ? url.href : undefined
}
const markdown = (html: string) => markdownOf({ top: everything(html).top, isDropped: () => false }, resolve)

describe('markdownOf', () => {
  it.each([
    ['headings', '<h1>A <em>b</em></h1><h3>C #</h3>', '# A *b*\n\n### C \\#'],
    ['paragraphs and breaks', '<p>a<br>b<br><br>c</p><p> d </p>', 'a\\\nb\n\nc\n\nd'],
    ['nested lists', '<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>', '- a\n  - b\n- c'],
    ['numbered lists', '<ol start="3"><li>a</li><li><p>b</p><p>c</p></li></ol>', '3. a\n\n4. b\n\n   c'],
    ['two lists in a row', '<ul><li>a</li></ul><ul><li>b</li></ul>', '- a\n\n* b'],
    ['links', '<a href="../x y">t</a> <a href="javascript:z">u</a>', '[t](https://a.test/x%20y) u'],
    ['links with brackets', '<a href="/a_(b)">t</a>', '[t](<https://a.test/a_(b)>)'],
    ['an exclamation mark before a link', 'a!<a href="/b">c</a>', 'a\\![c](https://a.test/b)'],
    ['code next to code', '0<b><code>!</code></b><code>a</code>', '0`!`a'],
    ['emphasis after code next to code', '<code>a</code><code>0</code><b>`</b>', '`a`0\\`'],
    ['marks that are left out', '<b><b>&lt;</b></b>A>', '\\<A>'],
    ['a link around blocks', '<a href="/c"><h2>T</h2><p>x</p></a>', '## T\n\nx'],
    [
      'images',
      '<img src="i.png" alt="An [image]"><img src="d.png" alt="">',
      '![An \\[image\\]](https://a.test/dir/i.png)',
    ],
    ['code', '<code>a`b</code> and <code>*</code>', '``a`b`` and `*`'],
    ['code with a link', '<code><a href="/m">mod</a></code>', '[`mod`](https://a.test/m)'],
    ['code blocks', '<pre><code class="language-ts">a\n  b\n</code></pre>', '```ts\na\n  b\n```'],
    [
      'code blocks of Sphinx',
      '<div class="highlight-python notranslate"><div class="highlight"><pre>x</pre></div></div>',
      '```python\nx\n```',
    ],
    ['fences in code', '<pre>```\nx</pre>', '````\n```\nx\n````'],
    ['quotations', '<blockquote><p>a</p><p>b</p></blockquote>', '> a\n>\n> b'],
    ['definitions', '<dl><dt>a</dt><dd>b</dd><dt>c</dt><dd>d</dd></dl>', '- **a**\n\n  b\n\n- **c**\n\n  d'],
    [
      'tables',
      '<table><tr><th>a<th>b<tr><td>1|2<td>3<br>4</table>',
      '| a | b |\n| --- | --- |\n| 1\\|2 | 3<br>4 |',
    ],
    [
      'tables without a head',
      '<table><caption>T</caption><tr><td colspan=2>a<tr><td>1<td>2</table>',
      'T\n\n|  |  |\n| --- | --- |\n| a |  |\n| 1 | 2 |',
    ],
    ['tables for layout', '<table><tr><td><h2>a</h2><p>b<td>c</table>', '## a\n\nb\n\nc'],
    ['rules', 'a<hr>b', 'a\n\n---\n\nb'],
    [
      'what looks like markup',
      '<p># a</p><p>1. b</p><p>- c</p><p>&gt; d</p><p>snake_case *x* _y_ &amp;lt;</p>',
      '\\# a\n\n1\\. b\n\n\\- c\n\n\\> d\n\nsnake_case \\*x\\* \\_y\\_ \\&lt;',
    ],
    ['emphasis next to letters', 'a<b>"b"</b>c <b>d</b>e', 'a"b"c **d**e'],
    ['addresses', 'See https://a.test/~x_/ now.', 'See <https://a.test/~x_/> now.'],
  ])('writes %s', (_, html, expected) => {
    expect(markdown(html)).toBe(expected)
  })

  it('gives the same text as the page when it is rendered', () => {
    fc.assert(
      fc.property(page, (html) => {
        const { top } = everything(html)
        const content = { top, isDropped: () => false }
        const rendered = scanHtml(renderer.render(markdownOf(content, resolve))).text
        expect(letters(rendered)).toBe(letters(contentText(content)))
      }),
      { numRuns: 400 },
    )
  })

  it('takes deep nesting in bounded time and space', () => {
    for (const tag of ['ul><li', 'blockquote', 'div', 'b', 'table><tr><td', 'dl><dd']) {
      const text = markdown(`${`<${tag}>`.repeat(10_000)}x`)
      expect(text).toMatch(/x/)
      expect(text.length).toBeLessThan(2_000_000)
    }
  })
})

const renderer = new MarkdownIt({ html: true })

/** White space is not compared: Markdown has its own rules for it. */
function letters(text: string): string {
  return text.replace(/\s+/gu, '')
}

const word = fc.oneof(
  fc.constantFrom(
    ...'a b1 snake_case * ** _ # ## - + > < & &amp; ` `` ~ ~~ | 1. 2) [x] ![ ]( \\ \\* 漢字 مرحبا == --- : :-- http://x.test/a_*b* <b'.split(
      ' ',
    ),
  ),
  fc.string({ maxLength: 3 }),
)
const text = fc.array(word, { maxLength: 4 }).map((words) => escapeHtml(words.join(' ')))
const inline: fc.Arbitrary<string> = fc.letrec<{ inline: string; leaf: string }>((tie) => ({
  leaf: text,
  inline: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    tie('leaf'),
    fc
      .tuple(
        fc.constantFrom('b', 'em', 'code', 'del', 'span', 'a href="/x"', 'strong'),
        fc.array(tie('inline'), { maxLength: 3 }),
      )
      .map(([tag, inside]) => `<${tag}>${inside.join('')}</${tag.split(' ')[0]}>`),
    fc.constant('<br>'),
  ),
})).inline
const block: fc.Arbitrary<string> = fc.letrec<{ block: string }>((tie) => ({
  block: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.array(inline, { maxLength: 4 }).map((parts) => `<p>${parts.join('')}</p>`),
    fc
      .tuple(fc.constantFrom('ul', 'ol'), fc.array(tie('block'), { maxLength: 3 }))
      .map(([tag, items]) => `<${tag}>${items.map((item) => `<li>${item}</li>`).join('')}</${tag}>`),
    fc.array(tie('block'), { maxLength: 3 }).map((blocks) => `<blockquote>${blocks.join('')}</blockquote>`),
    fc
      .array(tie('block'), { maxLength: 3 })
      .map((blocks) => `<dl>${blocks.map((one) => `<dt>t</dt><dd>${one}</dd>`).join('')}</dl>`),
    fc
      .array(fc.tuple(inline, inline), { maxLength: 3 })
      .map(
        (rows) => `<table>${rows.map(([a, b]) => `<tr><td>${a}</td><td>${b}</td></tr>`).join('')}</table>`,
      ),
    inline.map((inside) => `<h2>${inside}</h2>`),
    text.map((inside) => `<pre>x${inside}</pre>`),
    inline,
  ),
})).block
const page = fc.array(block, { maxLength: 5 }).map((blocks) => blocks.join(''))

function escapeHtml(raw: string): string {
  return raw.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
