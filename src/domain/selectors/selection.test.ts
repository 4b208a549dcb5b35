import { describe, expect, it } from 'vitest'
import { parseDocument } from './document.ts'

const PAGE = parseDocument(
  `<html><head><title>Shop</title><style>p{}</style></head><body>
  <div class="card" id="one"><h2>First  <em>book</em></h2><a href="/1">more</a><span class="price">£51.77</span></div>
  <div class="card" id="two"><h2>Second</h2><a href="/2" rel="next">more<div class="card" id="in">inner</div></a></div>
  <dl><dt>ISBN</dt><dd>123</dd><dt>Pages</dt><dd>45</dd></dl>
  <script type="application/ld+json">{"a":  1}</script>
  </body></html>`,
  { kind: 'html' },
)

describe('css', () => {
  it('finds in document order, nothing twice, also from nested elements', () => {
    expect(PAGE.css('.card').attrs('id')).toEqual(['one', 'two', 'in'])
    expect(PAGE.css('div, .card').css('.card').attrs('id')).toEqual(['in'])
    expect(PAGE.css('body, .card').css('h2, .card').length).toBe(5)
  })

  it('is relative to the selection it is called on', () => {
    const two = PAGE.css('#two')
    expect(two.css('body a').exists).toBe(false)
    expect(two.css('> a').attr('href')).toBe('/2')
    expect(two.css(':scope > h2').text()).toBe('Second')
    expect(PAGE.css('dt').first.css('+ dd').text()).toBe('123')
    expect(PAGE.css('#one').css('.card').exists).toBe(false)
    expect(PAGE.css('#one').cssOrSelf('.card').attr('id')).toBe('one')
  })

  it('gives each run of one selector its own scope', () => {
    expect([...PAGE.css('.card')].map((card) => card.text('h2'))).toEqual(['First book', 'Second', ''])
    expect([...PAGE.css('dt')].map((term) => term.css('~ dd').length)).toEqual([2, 1])
    expect([...PAGE.css('.card')].map((card) => card.css('a:has(div)').length)).toEqual([0, 1, 0])
  })

  it('gives texts with ::text and attributes with ::attr()', () => {
    expect(PAGE.css('#one h2::text').getAll()).toEqual(['First  '])
    expect(PAGE.css('a::attr(href)').getAll()).toEqual(['/1', '/2'])
    expect(PAGE.css('a::attr( rel )').get()).toBe('next')
    expect(PAGE.css('h2::text, h2 em::text').getAll()).toEqual(['First  ', 'book', 'Second'])
    expect(PAGE.css('a::attr(href), #one em::text').getAll()).toEqual(['book', '/1', '/2'])
    expect(PAGE.css('b::text').get()).toBeUndefined()
  })

  it('counts siblings', () => {
    const list = parseDocument('<ul>-<li>1<b></b>-<li>2<li>3<li>4<li>5</ul>', { kind: 'html' })
    const texts = (selector: string) =>
      list
        .css(selector)
        .texts()
        .map((text) => text[0])
        .join('')
    expect(texts('li:nth-child(2)')).toBe('2')
    expect(texts('li:nth-child(odd)')).toBe('135')
    expect(texts('li:nth-child( 2n )')).toBe('24')
    expect(texts('li:nth-child(even)')).toBe('24')
    expect(texts('li:nth-child(3n + 1)')).toBe('14')
    expect(texts('li:nth-child(n+4)')).toBe('45')
    expect(texts('li:nth-child(-n+2)')).toBe('12')
    expect(texts('li:nth-last-child(2)')).toBe('4')
    expect(texts('li:nth-last-of-type(-n+2)')).toBe('45')
    expect(PAGE.css('dl :nth-of-type(2)').texts()).toEqual(['Pages', '45'])
    expect(PAGE.css('dd:nth-child(2):not(:nth-last-child(1))').text()).toBe('123')
  })

  it('reads commas, colons and bars in strings as text', () => {
    const page = parseDocument('<a title="x, y::text|z">hit</a>', { kind: 'html' })
    expect(page.css('[title="x, y::text|z"]').text()).toBe('hit')
    expect(page.css('a:is([title*=","], b)::text').get()).toBe('hit')
    expect(page.css('[title|="x"]').exists).toBe(false)
  })

  it.each([
    ['a[', /a\[.*[Aa]ttribute|name/],
    ['a:unknown', /unknown/],
    ['a:nth-child(x)', /:nth-child\(x\) is not understood.*2n\+1/],
    ['a::before', /::before is not known.*::text or ::attr\(name\)/],
    ['', /it is empty/],
    ['a, ', /it is empty/],
    ['::text', /element before ::text/],
    ['a >', /nothing follows the >/],
  ])('refuses %j and says why', (selector, message) => {
    expect(() => PAGE.css(selector)).toThrow(expect.objectContaining({ code: 'BAD_SELECTOR', selector }))
    expect(() => PAGE.css(selector)).toThrow(message)
    expect(() => PAGE.css(selector)).toThrow(`'${selector}'`)
  })
})

it('refuses to repeat a long text for each of the elements around it', () => {
  const deep = parseDocument(`${'<div>'.repeat(250)}${'x'.repeat(500_000)}`, { kind: 'html' })
  expect(deep.css('div').last.text()).toHaveLength(500_000)
  const costly = expect.objectContaining({ code: 'SELECTOR_TOO_COSTLY' })
  expect(() => deep.css('div').texts()).toThrow(costly)
  expect(() => deep.css('div').getAll()).toThrow(costly)
})

describe('xpath', () => {
  it('rejects an expression that needs too many nodes', () => {
    const list = parseDocument('<i>1</i>'.repeat(4_000), { kind: 'html' })
    expect(list.xpath('//i[last()] | //i[1] | //i[position() < 3]').length).toBe(3)
    expect(() => list.xpath('//*[id("x")]')).toThrow(expect.objectContaining({ code: 'SELECTOR_TOO_COSTLY' }))
    expect(list.xpath('count(//i)').get()).toBe('4000')
  })

  it('gives elements, texts, attributes and values', () => {
    expect(PAGE.xpath('//div[@class="card"]/h2').texts()).toEqual(['First book', 'Second'])
    expect(PAGE.xpath('//a/@href').getAll()).toEqual(['/1', '/2'])
    expect(PAGE.xpath('//em/text()').get()).toBe('book')
    expect(PAGE.xpath('count(//a)').get()).toBe('2')
    expect(PAGE.xpath('boolean(//b)').get()).toBe('false')
    expect(PAGE.xpath('string(//title)').text()).toBe('Shop')
  })

  it('is relative with a dot and absolute without', () => {
    const card = PAGE.css('#two')
    expect(card.xpath('.//h2').texts()).toEqual(['Second'])
    expect(card.xpath('//h2').length).toBe(2)
    expect(card.xpath('ancestor::body').exists).toBe(true)
    expect(PAGE.css('dt').xpath('following-sibling::dd[1]').texts()).toEqual(['123', '45'])
    expect(PAGE.css('.card').xpath('descendant-or-self::div').attrs('id')).toEqual(['one', 'two', 'in'])
  })

  it('goes up from an attribute, and sorts unions', () => {
    expect(PAGE.xpath('//a/@rel/..').attr('href')).toBe('/2')
    expect(
      PAGE.xpath('//dl | //h2 | //title')
        .getAll()
        .map((one) => one.slice(0, 4)),
    ).toEqual(['<tit', '<h2>', '<h2>', '<dl>'])
    expect(PAGE.xpath('//a[2]/@* | //a[1]/@*').length).toBe(3)
  })

  it('knows has-class, re:test, id and lang', () => {
    const page = parseDocument('<p id="i" class="a b" lang="en-GB">x1<b>y</b></p>', { kind: 'html' })
    expect(page.xpath('//p[has-class("b", "a")]').length).toBe(1)
    expect(page.xpath('//p[has-class("c")]').length).toBe(0)
    expect(page.xpath('//*[re:test(text(), "x[0-9]")]').length).toBe(1)
    expect(page.xpath('id("i")/b').text()).toBe('y')
    expect(page.xpath('//b[lang("en")]').length).toBe(1)
  })

  it.each([
    ['//a[', /a \[ is not closed/],
    ['//a)', /a \) has no beginning/],
    ['//a[@x="1]', /a " is not closed/],
    ['//a[nothing()]', /Unknown function nothing/],
    ['//a//', /not XPath 1\.0/],
    ['//a/following::b', /following:: is not supported.*following-sibling/],
    [' ', /empty/],
  ])('refuses %j and says why', (expression, message) => {
    expect(() => PAGE.xpath(expression)).toThrow(
      expect.objectContaining({ code: 'BAD_SELECTOR', selector: expression }),
    )
    expect(() => PAGE.xpath(expression)).toThrow(message)
  })
})

describe('text', () => {
  it('is what a reader sees, in one line', () => {
    expect(PAGE.text('#one')).toBe('First book more£51.77')
    expect(PAGE.text('dl')).toBe('ISBN 123 Pages 45')
    expect(PAGE.text()).not.toMatch(/Shop|p\{\}|"a"/)
    const page = parseDocument('<p>a<br>b<p>c</p><table><tr><td>1<td>2</table>', { kind: 'html' })
    expect(page.text()).toBe('a b c 1 2')
  })

  it('of a title or a script is read by selecting it', () => {
    expect(PAGE.text('title')).toBe('Shop')
    expect(JSON.parse(PAGE.css('script').textContent())).toEqual({ a: 1 })
  })

  it('of nothing is empty', () => {
    expect(PAGE.css('nothing').text()).toBe('')
    expect(PAGE.css('nothing').texts()).toEqual([])
    expect(PAGE.css('nothing').attr('id')).toBeUndefined()
    expect(PAGE.css('nothing').css('a').xpath('b').get()).toBeUndefined()
    expect(PAGE.css('nothing').html()).toBe('')
    expect(PAGE.css('nothing').root.exists).toBe(false)
    expect(PAGE.css('nothing').number()).toBeUndefined()
  })
})

describe('a selection', () => {
  const cards = PAGE.css('.card')

  it('is counted, indexed and walked', () => {
    expect([cards.length, cards.exists]).toEqual([3, true])
    expect([cards.first, cards.last, cards.at(1), cards.at(-2)].map((one) => one.attr('id'))).toEqual([
      'one',
      'in',
      'two',
      'two',
    ])
    expect(cards.at(9).exists).toBe(false)
    expect([...cards].every((one) => one.length === 1)).toBe(true)
  })

  it('gives attributes', () => {
    expect(cards.attr('a', 'href')).toBe('/1')
    expect(PAGE.css('a').attrs('rel')).toEqual(['next'])
  })

  it('is written out', () => {
    expect(PAGE.css('#two h2').html()).toBe('<h2>Second</h2>')
    expect(PAGE.css('#one h2').innerHtml()).toBe('First  <em>book</em>')
    const page = parseDocument('<p title="&quot;<">&lt;b&gt;&nbsp;<br><img src=x>', { kind: 'html' })
    expect(page.html()).toBe('<p title="&quot;&lt;">&lt;b&gt;&nbsp;<br><img src="x"></p>')
  })

  it('is searched by patterns: groups, or whole matches', () => {
    expect(PAGE.css('a::attr(href)').re('/(\\d)')).toEqual(['1', '2'])
    expect(PAGE.css('dd::text').re(/\d+/)).toEqual(['123', '45'])
    expect(PAGE.css('dd::text').reFirst(/4(\d)/)).toBe('5')
    expect(PAGE.css('dd::text').reFirst('x')).toBeUndefined()
    expect(() => PAGE.css('dd').re('(')).toThrow(expect.objectContaining({ code: 'BAD_SELECTOR' }))
  })

  it('is read as a number', () => {
    expect(PAGE.css('.price').number()).toBe(51.77)
    expect(cards.number('.price')).toBe(51.77)
  })
})
