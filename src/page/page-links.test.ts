import { expect, it } from 'vitest'
import { createLinkResolver } from '../url/link-resolver.ts'
import { normalizeUrl } from '../url/normalize-url.ts'
import { type FoundLink, resolveLinks } from './page-links.ts'

const resolve = createLinkResolver('http://a.test/dir/', normalizeUrl)
const link = (href: string, anchor = '', rel: string[] = []): FoundLink => ({ href, anchor, rel, kind: 'a' })

it('resolves against the base and counts what cannot be', () => {
  const found = [link('x'), link('mailto:a@b'), link('javascript:void(0)'), link('http://')]
  expect(resolveLinks(found, resolve)).toEqual({
    links: [{ url: 'http://a.test/dir/x', anchor: '', rel: [], kind: 'a' }],
    rejectedLinks: { scheme: 2, unparsable: 1 },
  })
})

it('keeps each URL once, with the first anchor and the rel that all agree on', () => {
  const found = [
    link('x#1', '', ['nofollow', 'ugc']),
    link('y', 'why'),
    link('x#2', 'ex', ['nofollow']),
    link('x', 'late', ['nofollow', 'me']),
    link('y', 'other', ['nofollow']),
  ]
  expect(resolveLinks(found, resolve).links).toEqual([
    { url: 'http://a.test/dir/x', anchor: 'ex', rel: ['nofollow'], kind: 'a' },
    { url: 'http://a.test/dir/y', anchor: 'why', rel: [], kind: 'a' },
  ])
})
