import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { changedAt, parseFeed } from './parse-feed.ts'

const RSS = `<?xml version="1.0"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:media="m">
  <channel>
    <title>News &amp; more</title><link>http://a.test/</link>
    <atom:link href="http://a.test/feed" rel="self"/>
    <description>All of it</description><language>en-gb</language>
    <image><title>Logo</title><link>http://a.test/logo</link></image>
    <item>
      <title><![CDATA[First <b>one</b>]]></title><media:title>no</media:title>
      <link> http://a.test/1?a=1&amp;b=2 </link>
      <guid isPermaLink="false">tag:1</guid><pubDate>Sun, 15 Nov 2026 18:08:30 GMT</pubDate>
    </item>
    <item><title>Second</title><guid>http://a.test/2</guid></item>
    <item><title>Nowhere</title><guid isPermaLink="false">http://a.test/3</guid></item>
    <item><link>/4</link><pubDate>soon</pubDate></item>
  </channel>
</rss>`

describe('parseFeed', () => {
  it('reads RSS 2.0', () => {
    expect(parseFeed(RSS)).toEqual({
      title: 'News & more',
      description: 'All of it',
      language: 'en-gb',
      home: 'http://a.test/',
      items: [
        {
          href: 'http://a.test/1?a=1&b=2',
          title: 'First <b>one</b>',
          publishedAt: Date.UTC(2026, 10, 15, 18, 8, 30),
        },
        { href: 'http://a.test/2', title: 'Second' },
        { href: '/4' },
      ],
      itemsDropped: 0,
    })
  })

  it('reads RSS 1.0, whose items are next to the channel', () => {
    const xml = `<rdf:RDF xmlns="http://purl.org/rss/1.0/"><channel rdf:about="x"><title>T</title><link>http://a.test/</link></channel>
      <item rdf:about="http://a.test/1"><title>One</title><link>http://a.test/1</link><dc:date>2026-11-15</dc:date></item>
      <item rdf:about="http://a.test/2"><title>Two</title></item></rdf:RDF>`
    expect(parseFeed(xml)).toEqual({
      title: 'T',
      home: 'http://a.test/',
      items: [
        { href: 'http://a.test/1', title: 'One', publishedAt: Date.UTC(2026, 10, 15) },
        { href: 'http://a.test/2', title: 'Two' },
      ],
      itemsDropped: 0,
    })
  })

  it.each(['', 'atom:'])('reads Atom with the prefix %j', (p) => {
    const xml = `<${p}feed xml:lang="de"><${p}title type="text">T</${p}title><${p}link rel="self" href="/f"/><${p}link href="/"/>
      <${p}entry><${p}title type="xhtml"><div>One <b>more</b></div></${p}title><${p}link rel="edit" href="/e"/>
        <${p}link rel="alternate" href="/1"/><${p}updated>2026-11-15T00:00:00Z</${p}updated>
        <${p}author><${p}title>no</${p}title></${p}author></${p}entry></${p}feed>`
    expect(parseFeed(xml)).toEqual({
      title: 'T',
      language: 'de',
      home: '/',
      items: [{ href: '/1', title: 'One more', updatedAt: Date.UTC(2026, 10, 15) }],
      itemsDropped: 0,
    })
  })

  it('has the later one of two dates as the time of the last change', () => {
    const [day, later] = [1, 2]
    expect(changedAt({ publishedAt: day })).toBe(day)
    expect(changedAt({ updatedAt: later })).toBe(later)
    expect(changedAt({ publishedAt: day, updatedAt: later })).toBe(later)
    expect(changedAt({ publishedAt: later, updatedAt: day })).toBe(later)
    expect(changedAt({})).toBeUndefined()
  })

  it('does not expand entities and is not led by a doctype', () => {
    const xml = `<!DOCTYPE rss [<!ENTITY a "&b;&b;"><!ENTITY x SYSTEM "file:///etc/passwd">]>
      <rss><channel><title>&a;&x;</title><item><link>/1</link></item></channel></rss>`
    expect(parseFeed(xml)).toEqual({ title: '&a;&x;', items: [{ href: '/1' }], itemsDropped: 0 })
  })

  it('gives the whole items of a cut feed', () => {
    expect(parseFeed(RSS.slice(0, RSS.indexOf('Nowhere')))?.items).toHaveLength(2)
    expect(parseFeed(RSS.slice(0, RSS.indexOf('2</guid>')))?.items).toHaveLength(1)
  })

  it('keeps maxItems items and counts the others', () => {
    expect(parseFeed(RSS, { maxItems: 1 })).toMatchObject({ items: { length: 1 }, itemsDropped: 2 })
  })

  it('says no to what is not a feed', () => {
    expect(parseFeed('<html><item><link>x</link></item></html>')).toBeUndefined()
    expect(parseFeed('')).toBeUndefined()
  })

  it('never throws', () => {
    const unit = fc.constantFrom(
      '<rss>',
      '<item>',
      '</item>',
      '<link>',
      '</link>',
      '<link href="a">',
      'x',
      '<title/>',
      '<',
      '<feed>',
      '<entry>',
      '</x>',
    )
    fc.assert(fc.property(fc.string({ unit }), (xml) => void parseFeed(xml)))
  })
})
