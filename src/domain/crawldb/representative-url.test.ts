import { describe, expect, it } from 'vitest'
import { representativeUrl } from './representative-url.ts'

const root = 'http://www.a.com/'
const page = 'http://www.a.com/x/y.html'

describe.each([
  // source, target, shown when permanent, shown when temporary
  [root, page, root, root],
  [page, root, root, root],
  [page, 'http://www.a.com/z.html', 'http://www.a.com/z.html', 'http://www.a.com/z.html'],
  ['http://www.a.com/z.html', page, page, 'http://www.a.com/z.html'],
  [
    'http://www.a.com/longer.html',
    'http://www.a.com/z.html',
    'http://www.a.com/z.html',
    'http://www.a.com/z.html',
  ],
  [
    'http://www.a.com/a.html',
    'http://www.a.com/b.html',
    'http://www.a.com/b.html',
    'http://www.a.com/a.html',
  ],
  ['http://www.a.com/', 'http://a.com/', 'http://www.a.com/', 'http://a.com/'],
  ['http://a.com/', 'http://www.a.com/', 'http://a.com/', 'http://a.com/'],
  ['http://www.a.com/x', 'http://news.a.com/y', 'http://news.a.com/y', 'http://www.a.com/x'],
  ['http://www.a.com/?q=1', page, page, 'http://www.a.com/?q=1'],
  [root, 'http://www.b.com/x', 'http://www.b.com/x', 'http://www.b.com/x'],
  ['http://a.co.uk/', 'http://b.co.uk/', 'http://b.co.uk/', 'http://b.co.uk/'],
  ['not a url', page, page, page],
  [root, 'not a url', 'not a url', 'not a url'],
])('%s to %s', (source, target, permanent, temporary) => {
  it(`shows ${permanent} when permanent`, () => {
    expect(representativeUrl(source, target, true)).toBe(permanent)
  })

  it(`shows ${temporary} when temporary`, () => {
    expect(representativeUrl(source, target, false)).toBe(temporary)
  })
})
