import { expect, it } from 'vitest'
import { feedOf } from './feed-page.ts'

const URL = 'http://a.test/feeds/news'

it('reads the entries of RSS with their details', () => {
  const text = `<rss xmlns:content="c"><channel><title>News</title><link>/</link><description>All of it</description>
    <item><title>One</title><link>/1</link><guid isPermaLink="false">tag:1</guid><dc:creator>Ann</dc:creator>
      <category>a</category><category> b </category><description>Short</description>
      <content:encoded><![CDATA[<p>Long</p>
<pre>  text</pre>]]></content:encoded>
      <enclosure url="/1.mp3" type="audio/mpeg" length="5"/><pubDate>Sun, 15 Nov 2026 18:08:30 GMT</pubDate></item>
    <item><title>An episode without a page</title><enclosure url="http://["/></item>
  </channel></rss>`
  expect(feedOf(URL, 'feed', { text })).toEqual({
    title: 'News',
    description: 'All of it',
    home: 'http://a.test/',
    entries: [
      {
        url: 'http://a.test/1',
        id: 'tag:1',
        title: 'One',
        author: 'Ann',
        published: '2026-11-15T18:08:30.000Z',
        categories: ['a', 'b'],
        summary: 'Short',
        content: '<p>Long</p>\n<pre>  text</pre>',
        enclosures: [{ url: 'http://a.test/1.mp3', type: 'audio/mpeg' }],
      },
      { title: 'An episode without a page', categories: [], enclosures: [] },
    ],
  })
})

it('reads the entries of Atom with their details', () => {
  const text = `<feed><entry><id>urn:1</id><title>One</title><link href="1"/><link rel="enclosure" href="/1.pdf"/>
    <author><name>Ann</name><email>ann@a.test</email></author><category term="a" label="A"/>
    <summary>Short</summary><content type="xhtml"><div>Long <b>text</b></div></content>
    <published>2026-11-14</published><updated>2026-11-15</updated></entry></feed>`
  expect(feedOf(URL, 'feed', { text })?.entries).toEqual([
    {
      url: 'http://a.test/feeds/1',
      id: 'urn:1',
      title: 'One',
      author: 'Ann',
      published: '2026-11-14T00:00:00.000Z',
      updated: '2026-11-15T00:00:00.000Z',
      categories: ['a'],
      summary: 'Short',
      content: 'Long text',
      enclosures: [{ url: 'http://a.test/1.pdf' }],
    },
  ])
})

it('reads the entries of a JSON Feed with their details', () => {
  const items = [
    {
      id: '1',
      url: '/1',
      authors: [{ name: 'Ann' }],
      tags: ['a', 2],
      summary: 'Short',
      content_html: '<p>Long</p>',
      date_modified: '2026-11-15',
      attachments: [{ url: '/1.mp3', mime_type: 'audio/mpeg' }, {}],
    },
    { id: '2', content_text: 'A note', author: { name: 'Bob' } },
  ]
  const text = JSON.stringify({ version: 'https://jsonfeed.org/version/1.1', items })
  expect(feedOf(URL, 'json', { text })?.entries).toEqual([
    {
      url: 'http://a.test/1',
      id: '1',
      author: 'Ann',
      updated: '2026-11-15T00:00:00.000Z',
      categories: ['a'],
      summary: 'Short',
      content: '<p>Long</p>',
      enclosures: [{ url: 'http://a.test/1.mp3', type: 'audio/mpeg' }],
    },
    { id: '2', author: 'Bob', content: 'A note', categories: [], enclosures: [] },
  ])
})

it('reads long contents', () => {
  const long = 'word '.repeat(50_000).trim()
  const text = `<rss><channel><item><content:encoded><![CDATA[${long}]]></content:encoded></item></channel></rss>`
  expect(feedOf(URL, 'feed', { text })?.entries[0]?.content).toBe(long)
})

it.each(['html', 'json', 'text'] as const)('is undefined for a page that is not a feed: %s', (kind) => {
  expect(feedOf(URL, kind, { text: '{}' })).toBeUndefined()
})
