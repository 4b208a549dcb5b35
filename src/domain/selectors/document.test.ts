import { describe, expect, it } from 'vitest'
import { parseDocument } from './document.ts'
import { MAX_DEPTH } from './nodes.ts'

const html = (text: string) => parseDocument(text, { kind: 'html' })
const xml = (text: string) => parseDocument(text, { kind: 'xml' })

describe('an HTML document', () => {
  it('has lower-case names, and attributes by their first value', () => {
    const link = html('<DIV><A HREF="1" href="2">x</A></DIV>').css('div > a')
    expect(link.tagName).toBe('a')
    expect(link.attr('href')).toBe('1')
  })

  it('closes what HTML closes by itself', () => {
    const list = html('<ul><li>one<li>two</ul><p>a<p>b')
    expect(list.css('ul > li').texts()).toEqual(['one', 'two'])
    expect(list.css('p').texts()).toEqual(['a', 'b'])
  })

  it('decodes references in text and attributes, but not in scripts', () => {
    const page = html(
      '<a href="?a=1&amp;b=2&copy=3" title="&lt;&#8364;">&pound;5 &amp; &hearts;</a><script>a &amp; b</script>',
    )
    expect(page.attr('a', 'href')).toBe('?a=1&b=2&copy=3')
    expect(page.attr('a', 'title')).toBe('<€')
    expect(page.text('a')).toBe('£5 & ♥')
    expect(page.css('script').textContent()).toBe('a &amp; b')
  })

  it('drops a tag that the end cuts off', () => {
    expect(html('<p>text<a href="x"').css('a').exists).toBe(false)
  })

  it('keeps comments apart from text', () => {
    const page = html('<p>a<!-- <b>no</b> -->b</p>')
    expect(page.text('p')).toBe('ab')
    expect(page.css('b').exists).toBe(false)
    expect(page.xpath('//comment()').get()).toBe('<!-- <b>no</b> -->')
  })

  it('knows no attribute that the page does not have', () => {
    const page = html('<p constructor="c" __proto__="x">')
    expect(page.attr('p', 'constructor')).toBe('c')
    expect(page.attr('p', 'toString')).toBeUndefined()
    expect(page.css('[valueOf]').exists).toBe(false)
  })
})

describe('an XML document', () => {
  const feed = xml(`<?xml version="1.0"?>
    <rss xmlns:media="http://search.yahoo.com/mrss/"><channel>
      <Item><title><![CDATA[A & <b>B</b>]]></title><media:title>Film &amp; &#8364;</media:title><link/>after</Item>
    </channel></rss>`)

  it('reads CDATA as text', () => {
    expect(feed.css('title').text()).toBe('A & <b>B</b>')
    expect(feed.css('title b').exists).toBe(false)
    expect(feed.xpath('//title/text()').get()).toBe('A & <b>B</b>')
  })

  it('takes names as they are written', () => {
    expect(feed.css('item').exists).toBe(false)
    expect(feed.css('Item').length).toBe(1)
    expect(feed.xpath('count(//Item)').get()).toBe('1')
  })

  it('finds a prefixed element by its prefixed name only', () => {
    expect(feed.css('title').length).toBe(1)
    expect(feed.css('media|title').text()).toBe('Film & €')
    expect(feed.css('media\\:title').length).toBe(1)
    expect(feed.xpath('//title').length).toBe(1)
    expect(feed.xpath('//media:title').text()).toBe('Film & €')
    expect(feed.xpath('//*[local-name()="title"]').length).toBe(2)
  })

  it('finds unprefixed elements of a default namespace', () => {
    const atom = xml('<feed xmlns="http://www.w3.org/2005/Atom"><entry><title>T</title></entry></feed>')
    expect(atom.xpath('/feed/entry/title').text()).toBe('T')
    expect(atom.css('feed > entry > title').text()).toBe('T')
  })

  it('ends an element with />, and puts a space between the texts of elements', () => {
    expect(feed.css('link').text()).toBe('')
    expect(feed.css('Item').text()).toBe('A & <b>B</b> Film & € after')
  })

  it('is written out as XML', () => {
    expect(xml('<a x="&lt;&quot;"><b/>ü&amp;</a>').html()).toBe('<a x="&lt;&quot;"><b/>ü&amp;</a>')
    const whole = '<?xml version="1.0"?><!DOCTYPE a><a><!-- b --><?c d?></a>'
    expect(xml(whole).html()).toBe(whole)
  })
})

describe('100,000 levels or siblings', () => {
  const LEVELS = 100_000

  it.each(['html', 'xml'] as const)(
    'of %s are read, searched and written without running out of stack',
    (kind) => {
      const text = `${'<div>'.repeat(LEVELS)}<p class="x">deep</p>${'</div>'.repeat(LEVELS)}<i>end</i>`
      const document = parseDocument(text, { kind })
      expect(document.css('div').length).toBe(LEVELS)
      expect(document.css('div .x').length).toBe(1)
      expect(document.text()).toBe('deep end')
      expect(document.html().length).toBeGreaterThan(LEVELS)
    },
  )

  it('stay nested deeper than real pages go', () => {
    const document = html('<div>'.repeat(1_000))
    expect(document.css(Array(MAX_DEPTH).fill('div').join(' > ')).exists).toBe(true)
    expect(
      document.css(
        Array(MAX_DEPTH + 2)
          .fill('div')
          .join(' > '),
      ).exists,
    ).toBe(false)
  })

  it('are too many for XPath, which says so', () => {
    expect(html('<p>'.repeat(LEVELS + 1)).css('p:nth-child(2)').length).toBe(1)
    expect(() => html('<p>'.repeat(LEVELS + 1)).xpath('//p')).toThrow(/100001 nodes.*use css/)
  })

  it('do not make end tags slow', () => {
    const document = html(`${'<b>'.repeat(LEVELS)}${'</i>'.repeat(LEVELS)}<p>end</p>`)
    expect(document.text()).toBe('end')
  })
})
