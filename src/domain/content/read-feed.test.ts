import { describe, expect, it } from 'vitest'
import { parseJsonFeed } from './read-feed.ts'

describe('parseJsonFeed', () => {
  it('reads items with a URL', () => {
    const feed = {
      version: 'https://jsonfeed.org/version/1.1',
      title: 'T',
      home_page_url: 'http://a.test/',
      items: [
        { id: 1, url: '/1', title: 'One', date_published: '2026-11-15' },
        { external_url: '/2' },
        { url: 3 },
        null,
        'x',
      ],
    }
    expect(parseJsonFeed(JSON.stringify(feed))).toEqual({
      title: 'T',
      home: 'http://a.test/',
      items: [{ href: '/1', title: 'One', publishedAt: Date.UTC(2026, 10, 15) }, { href: '/2' }],
      itemsDropped: 0,
    })
  })

  it('is not fooled by __proto__', () => {
    expect(parseJsonFeed('{"__proto__": {"version": "https://jsonfeed.org/version/1"}}')).toBeUndefined()
    expect('version' in {}).toBe(false)
  })

  it.each(['', '[]', 'null', '{"version":1}', '{', '['.repeat(100_000)])('says no to %.20s', (json) => {
    expect(parseJsonFeed(json)).toBeUndefined()
  })
})
