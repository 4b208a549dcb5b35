import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { buildTree } from '../selectors/document.ts'
import { contentText } from './content-text.ts'
import { findMainContent } from './find-main-content.ts'

const textOf = (html: string) => contentText(findMainContent(buildTree(html, 'html')))

const PROSE = 'The orb weaver builds its web anew each evening, and eats the old one before it starts.'
const ARTICLE = `<h1>Orb weavers</h1><p>${PROSE}</p><p>${PROSE}</p>`
const ARTICLE_TEXT = `Orb weavers\n${PROSE}\n${PROSE}`
const MENU =
  '<ul><li><a href="/">Home</a></li><li><a href="/news">News</a></li><li><a href="/about">About</a></li></ul>'

describe('findMainContent', () => {
  it('keeps what it found when it reads other pages', () => {
    const page = `<div class="site-nav">${MENU}</div><div>${ARTICLE}</div><div id="footer">© 2026 Weavers</div>`
    const large = `${MENU}<div>${`<p>${PROSE}</p>`.repeat(5_000)}</div>`
    const before = findMainContent(buildTree(page, 'html'))
    expect(textOf(large)).toBe(Array.from({ length: 5_000 }, () => PROSE).join('\n'))
    expect(textOf(page)).toBe(ARTICLE_TEXT)
    expect(contentText(before)).toBe(ARTICLE_TEXT)
  })

  it.each([
    [
      'elements of sections',
      `<header>${MENU}</header><main>${ARTICLE}</main><footer>© 2026 <a href="/legal">Legal</a></footer>`,
    ],
    [
      'classes',
      `<div class="site-nav">${MENU}</div><div>${ARTICLE}</div><div id="footer">© 2026 Weavers, all rights reserved.</div>`,
    ],
    [
      'roles',
      `<div role="navigation">${MENU}</div><div role="main">${ARTICLE}</div><div role="contentinfo">© 2026</div>`,
    ],
    [
      'nothing but text and links',
      `<div>${MENU}</div><div><div>${ARTICLE}</div></div><div>© 2026 <a href="/x">Weavers</a></div>`,
    ],
    ['tables for layout', `<table><tr><td>${MENU}</td><td>${ARTICLE}</td></tr></table>`],
    [
      'a cookie notice',
      `<div class="cookie-consent"><p>We use cookies, and so do 812 of our partners. Please accept them all.</p><button>OK</button></div><div>${ARTICLE}</div>`,
    ],
    [
      'links before and after',
      `<p><a href="a">Prev</a> <a href="b">Up</a> <a href="c">Next</a></p>${ARTICLE}<div><a href="a">Prev</a> | <a href="c">Next</a></div>`,
    ],
    [
      'hidden text',
      `<div hidden>secret</div><div style="display: none">secret</div><div aria-hidden="true">x</div>${ARTICLE}`,
    ],
    [
      'scripts, styles and forms',
      `<script>x</script><style>y</style><select><option>z</select>${ARTICLE}<noscript>n</noscript>`,
    ],
  ])('tells content by %s', (_, body) => {
    expect(textOf(`<html><head><title>T</title></head><body>${body}</body></html>`)).toBe(ARTICLE_TEXT)
  })

  it('keeps a box in the text that is called sidebar', () => {
    const box = `<div class="sidebar"><p>${PROSE}</p><p>${PROSE}</p></div>`
    expect(textOf(`<div>${ARTICLE}${box}<p>${PROSE}</p></div>`).split('\n')).toHaveLength(6)
  })

  it('keeps sections whose headings sound like boilerplate', () => {
    const section = `<section id="related-cookies"><h2>Cookies</h2><p>${PROSE}</p></section>`
    expect(textOf(`<main>${ARTICLE}${section}</main>`)).toContain('Cookies')
  })

  it('keeps the links of a page that has nothing else', () => {
    const links = Array.from({ length: 30 }, (_, i) => `<li><a href="/${i}">Chapter ${i}</a></li>`).join('')
    expect(textOf(`<nav>${MENU}</nav><h1>Contents</h1><ul>${links}</ul>`)).toMatch(
      /^Contents\nChapter 0\n.*Chapter 29$/s,
    )
  })

  it('keeps lists of links inside the text', () => {
    expect(textOf(`<div>${ARTICLE}${MENU}<p>${PROSE}</p></div>`)).toContain('Home\nNews\nAbout')
  })

  it.each([
    [
      'Chinese',
      '圆网蛛每天傍晚都会重新织网，并在开始之前吃掉旧网。这种蜘蛛在花园里很常见，体型不大，却非常有耐心，也不怕风雨。',
      'zh',
    ],
    [
      'Arabic',
      'تبني العنكبوت شبكتها من جديد كل مساء، وتأكل القديمة قبل أن تبدأ. إنها شائعة في الحدائق، وهي صغيرة لكنها صبورة جدا.',
      'ar',
    ],
  ])('reads %s', (_, text, lang) => {
    const page = `<html lang="${lang}" dir="auto"><body><div>${MENU}</div><div><p>${text}</p><p>${text}</p></div></body></html>`
    expect(textOf(page)).toBe(`${text}\n${text}`)
  })

  it('gives an empty page no text', () => {
    expect(textOf('')).toBe('')
    expect(textOf('<html><body></body></html>')).toBe('')
  })

  it('takes 10,000 levels and 5 MB', () => {
    expect(textOf(`${'<div>'.repeat(10_000)}${ARTICLE}`)).toBe(ARTICLE_TEXT)
    expect(textOf(`<p>${PROSE}</p>`.repeat(55_000)).length).toBeGreaterThan(4_500_000)
  })

  it('takes anything for a page', () => {
    const tags = fc.constantFrom(
      '<div>',
      '</div>',
      '<nav>',
      '<p>',
      '<td>',
      '<table>',
      '<main role=main>',
      '<a href=x>',
      '</a>',
      '<pre>',
      PROSE,
      ' x ',
      '<!--',
    )
    fc.assert(
      fc.property(fc.array(tags, { maxLength: 40 }), (parts) => void textOf(parts.join(''))),
      { numRuns: 300 },
    )
  })
})
