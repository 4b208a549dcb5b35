import { describe, expect, it } from 'vitest'
import { scanHtml } from '../../src/domain/html/scan-html.ts'

describe('39: HTML made to break a parser is read in one pass', () => {
  it('nested a million deep', () => {
    const { links, text } = scanHtml(`${'<div>'.repeat(1_000_000)}<a href="/deep">deep</a>`)
    expect({ links: links.length, text }).toEqual({ links: 1, text: 'deep' })
  })

  it('templates and foreign elements nested 100,000 deep', () => {
    const { links } = scanHtml(`${'<template><svg>'.repeat(100_000)}<a href="/hidden">`)
    expect(links).toEqual([])
  })

  it('one line of 100 MB', () => {
    const { text, textTruncated } = scanHtml(`<p>${'word '.repeat(20_000_000)}`)
    expect(textTruncated).toBe(true)
    expect(text.length).toBeLessThanOrEqual(1_000_000)
  })

  it('a tag with a million attributes', () => {
    const { links } = scanHtml(`<a ${'x=y '.repeat(1_000_000)}href="/late">late</a><a href="/next">`)
    expect(links.at(-1)).toMatchObject({ href: '/next' })
  })

  it('a million links', () => {
    const { links, linksDropped } = scanHtml('<a href=/x>'.repeat(1_000_000))
    expect({ links: links.length, linksDropped }).toEqual({ links: 200_000, linksDropped: 800_000 })
  })

  it.each([
    ['a script', '<script>'],
    ['a comment', '<!--'],
    ['a style', '<style>'],
    ['a title', '<title>'],
    ['a textarea', '<textarea>'],
    ['plaintext', '<plaintext>'],
    ['an attribute', '<a title="'],
  ])('%s that never ends swallows the rest, and only the rest', (_, open) => {
    const { links } = scanHtml(`<a href="/before">before</a>${open}<a href="/after">after</a>`)
    expect(links.map((link) => link.href)).toEqual(['/before'])
  })

  it.each([
    ['starts of comments', '<!-- '],
    ['starts of scripts', '<script><!--<script>'],
    ['lone less-than signs', '<'],
    ['ends without starts', '</a></div></template>'],
    ['ampersands', '&amp&'],
    ['tags cut off', '<a <b <c '],
    ['sections', '<svg><![CDATA['],
    ['tables', '<table><tr><td><a href=x>'],
  ])('200,000 %s', (_, piece) => {
    const html = piece.repeat(200_000)
    expect(() => scanHtml(html)).not.toThrow()
  })

  it('a base that is not a URL is reported unchanged', () => {
    expect(scanHtml('<base href="http://[broken/"><a href="x">x</a>')).toMatchObject({
      base: 'http://[broken/',
      links: [{ href: 'x' }],
    })
  })

  it('links in noscript and iframe count; those in template and srcdoc do not', () => {
    const { links } = scanHtml(
      '<noscript><a href=/1></a></noscript><iframe src=/2 srcdoc="<a href=/3>"></iframe><template><a href=/4></a></template>',
    )
    expect(links.map((link) => link.href)).toEqual(['/1', '/2'])
  })

  it('duplicate ids and attributes: the first attribute counts', () => {
    const { links } = scanHtml('<a id=x href=/1 href=/2>1</a><a id=x href=/3>3</a>')
    expect(links.map((link) => link.href)).toEqual(['/1', '/3'])
  })
})

it('57: keeps at most maxLinks links of a page, and counts the others', () => {
  const html = Array.from({ length: 100_000 }, (_, i) => `<a href="http://h${i}.test/">${i}</a>`).join('')
  const { links, linksDropped } = scanHtml(html, { maxLinks: 1_000 })
  expect({ links: links.length, linksDropped }).toEqual({ links: 1_000, linksDropped: 99_000 })
})
