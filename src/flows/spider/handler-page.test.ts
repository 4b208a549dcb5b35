import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { testRules } from '../../../testing/test-rules.ts'
import type { CrawlRequest } from '../../domain/frontier/crawl-request.ts'
import { LinkExtractor } from '../../domain/selectors/link-extractor.ts'
import { Page } from './handler-page.ts'

const { normalize } = testRules(new FakeClock())

function pageOf(
  body: string | Uint8Array,
  type = 'text/html; charset=utf-8',
  request: Partial<CrawlRequest> = {},
): Page<{ n: number }, 'parse' | 'detail'> {
  return new Page({
    request: { url: 'http://a.test/dir/page', handler: 'parse', depth: 2, ...request },
    attempt: 2,
    status: 200,
    headers: [
      ['content-type', type],
      ['set-cookie', 'a=1'],
      ['set-cookie', 'b=2'],
    ],
    bytes: typeof body === 'string' ? Buffer.from(body) : body,
    normalize,
  })
}

describe('a feed', () => {
  it('has entries, whatever its declared type', () => {
    const rss = '<rss><channel><item><title>One</title><link>/1</link></item></channel></rss>'
    const page = pageOf(rss, 'text/html')
    expect(page.feed()?.entries).toMatchObject([{ title: 'One', url: 'http://a.test/1' }])
  })
})

describe('request and response', () => {
  it('is at hand', () => {
    const page = pageOf('x', 'text/html', { meta: { a: 1 } })
    expect(page).toMatchObject({
      url: 'http://a.test/dir/page',
      depth: 2,
      attempt: 2,
      status: 200,
      meta: { a: 1 },
    })
    expect(pageOf('x').meta).toEqual({})
    expect(page.header('Set-Cookie')).toBe('a=1')
    expect(page.header('absent')).toBeUndefined()
  })
})

describe('the body', () => {
  it('is decoded by its header, or by what it says itself', () => {
    const latin = Buffer.from('<p>caf\xe9</p>', 'latin1')
    expect(pageOf(latin, 'text/html; charset=iso-8859-1').body).toBe('<p>café</p>')
    const own = Buffer.from('<meta charset="iso-8859-1"><p>caf\xe9</p>', 'latin1')
    expect(pageOf(own, 'text/html').text('p')).toBe('café')
    expect(pageOf(own, 'text/html').charset).toMatch(/1252|8859-1/i)
  })

  it('is read for a reader, in whole or in part', () => {
    const page = pageOf('<title>t</title><h1>Big</h1><p>one  two</p><script>no</script>')
    expect(page.text('h1')).toBe('Big')
    expect(page.text('.none')).toBe('')
    expect(page.text()).toContain('one two')
    expect(page.text()).not.toContain('no')
  })

  it('is JSON where it is, checked by a schema where one is given', () => {
    const page = pageOf('{"n": 3}', 'application/json')
    expect(page.json()).toEqual({ n: 3 })
    expect(page.json(z.object({ n: z.number() })).n).toBe(3)
    expect(() => page.json(z.object({ n: z.string() }))).toThrow(/dir\/page: n: /)
    expect(() => page.json(z.object({}).refine(async () => true))).toThrow()
    expect(() => pageOf('<p>').json()).toThrow(SyntaxError)
  })

  it('is what it is, whatever the server said', () => {
    expect(pageOf('%PDF-1.4 …', 'text/html').contentType).toBe('application/pdf')
    expect(pageOf(new Uint8Array()).body).toBe('')
    expect(pageOf(new Uint8Array()).text('p')).toBe('')
  })

  it('can be selected from by CSS and XPath; XML keeps its case', () => {
    const page = pageOf('<ul><li class="x">1</li><li>2</li></ul>')
    expect(page.css('li').texts()).toEqual(['1', '2'])
    expect(page.css('li.x::text').texts()).toEqual(['1'])
    expect(page.xpath('//li[2]/text()').text()).toBe('2')
    expect(pageOf('<a><Bc>1</Bc></a>', 'application/xml').css('Bc').text()).toBe('1')
    expect(page.document).toBe(page.document)
  })
})

describe('requests', () => {
  it('are resolved with the page, or with what it names as its base', () => {
    expect(pageOf('x').follow('next')).toMatchObject({ href: 'next', base: 'http://a.test/dir/page' })
    expect(pageOf('<base href="/other/">').follow('next')?.base).toBe('http://a.test/other/')
    expect(pageOf('<base href="http://[">').follow('next')?.base).toBe('http://a.test/dir/page')
    expect(pageOf('<base href="/other/">', 'text/plain').follow('next')?.base).toBe('http://a.test/dir/page')
  })

  it('for a link that is not there are none', () => {
    expect(pageOf('x').follow(undefined)).toBeUndefined()
    expect(pageOf('x').follow(pageOf('x').css('a.next').attr('href'), 'detail')).toBeUndefined()
  })

  it('may name their handler in short', () => {
    expect(pageOf('x').follow('/x', 'detail')?.options).toEqual({ handler: 'detail' })
    expect(pageOf('x').follow('/x', { handler: 'detail', priority: 1 }).options).toEqual({
      handler: 'detail',
      priority: 1,
    })
  })

  it('for many links: by selector, selection, URLs or extracted links', () => {
    const page = pageOf('<li><a href="/1">1</a><a href="/2">2</a></li><a class="x" href="/3">3</a><a>no</a>')
    const hrefs = (...args: Parameters<typeof page.followAll>) =>
      [...page.followAll(...args)].map(({ href }) => href)
    expect(hrefs('a')).toEqual(['/1', '/2', '/3'])
    expect(hrefs('li')).toEqual(['/1', '/2'])
    expect(hrefs(page.css('a.x'))).toEqual(['/3'])
    expect(hrefs(['/8', '/9'], 'detail')).toEqual(['/8', '/9'])
    expect(hrefs(page.links({ allow: /2$/ }))).toEqual(['http://a.test/2'])
    expect(page.links(new LinkExtractor({ deny: /[12]$/ })).map(({ text }) => text)).toEqual(['3'])
  })

  it('submit a form as a browser does', () => {
    const page = pageOf(
      '<form action="/login" method="post"><input type="hidden" name="token" value="t"><input name="user"><input name="pass" type="password"></form>',
    )
    expect(page.submit('form', { user: 'me', pass: 'x y' }, { handler: 'detail' })).toMatchObject({
      href: 'http://a.test/login',
      options: {
        method: 'POST',
        body: 'token=t&user=me&pass=x+y',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        handler: 'detail',
      },
    })
    expect(() => page.submit('form.none', {})).toThrow()
  })

  it('come with items', () => {
    expect(pageOf('x').item({ n: 1 }).item).toEqual({ n: 1 })
  })
})

describe('content', () => {
  const html = `<html lang="en"><head><title>Bread</title><meta property="article:published_time" content="2026-11-15"></head>
    <body><nav><a href="/">Home</a></nav><h1>Bread</h1><p>Flour, water and salt, and then a long wait until it has risen. <a href="x">More</a></p></body></html>`

  it('is the page without its boilerplate', () => {
    const page = pageOf(html)
    expect(page.content()).toEqual({
      title: 'Bread',
      lang: 'en',
      published: '2026-11-15T00:00:00.000Z',
      text: 'Bread\nFlour, water and salt, and then a long wait until it has risen. More',
    })
    expect(page.markdown()).toMatch(/^# Bread\n\nFlour.*\[More\]\(http:\/\/a\.test\/dir\/x\)$/)
    expect(page.structured().openGraph).toEqual({ 'article:published_time': '2026-11-15' })
  })

  it('is the text of a page that is not HTML', () => {
    const page = pageOf('a *b*\n\nc', 'text/plain')
    expect(page.content()).toEqual({ title: '', text: 'a *b*\n\nc' })
    expect(page.markdown()).toBe('a \\*b\\*\n\nc')
    expect(page.structured()).toEqual({ jsonLd: [], openGraph: {}, microdata: [] })
    expect(page.feed()).toBeUndefined()
  })
})
