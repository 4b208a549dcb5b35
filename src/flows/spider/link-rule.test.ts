import { describe, expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { linksTo } from '../../../testing/spider-lab.ts'
import { testRules } from '../../../testing/test-rules.ts'
import type { CrawlRequest } from '../../domain/frontier/crawl-request.ts'
import { Page } from './handler-page.ts'
import { type LinkRule, LinkRules } from './link-rule.ts'
import { RULES_HANDLER } from './rule-names.ts'

const { normalize } = testRules(new FakeClock())

function pageOf(html: string, requested: Partial<CrawlRequest> = {}, type = 'text/html'): Page {
  return new Page({
    request: { url: 'http://a.test/', handler: 'parse', depth: 0, ...requested },
    attempt: 1,
    status: 200,
    headers: [['content-type', type]],
    bytes: Buffer.from(html),
    normalize,
  })
}

function follow(rules: readonly LinkRule<string>[], html: string) {
  return [...new LinkRules(rules).follow(pageOf(html))].map(({ href, options }) => ({
    path: new URL(href).pathname,
    ...options,
  }))
}

describe('LinkRules', () => {
  it('gives a link that several rules want to the first', () => {
    const rules = [{ links: { allow: /x/ }, handler: 'one' }, { handler: 'two' }]
    expect(follow(rules, linksTo('/x', '/y', '/x')).map(({ path, handler }) => [path, handler])).toEqual([
      ['/x', 'one'],
      ['/y', 'two'],
    ])
  })

  it('leaves a link alone that no rule wants', () => {
    expect(
      follow([{ links: { allow: /item/, deny: /old/ } }], linksTo('/item', '/item/old', '/z')),
    ).toHaveLength(1)
  })

  it('looks only where it is told to', () => {
    const html = `${linksTo('/out')}<div class="list">${linksTo('/in')}</div>`
    expect(follow([{ links: { restrictCss: '.list' } }], html).map(({ path }) => path)).toEqual(['/in'])
  })

  it.each<[string, LinkRule<string>, string, boolean]>([
    ['no handler: only looked through', {}, RULES_HANDLER, true],
    ['a handler: not looked through', { handler: 'item' }, 'item', false],
    ['both', { handler: 'item', follow: true }, 'item', true],
    ['neither', { follow: false }, RULES_HANDLER, false],
  ])('knows whose the page is and whether it is looked through: %s', (_, rule, handler, looks) => {
    const [request] = follow([rule], linksTo('/1'))
    expect(request?.handler).toBe(handler)
    expect(request?.meta?.['$follow']).toBe(looks ? true : undefined)
  })

  it('hands on its options and the text of the link', () => {
    const rule = { handler: 'item', options: { priority: 3, meta: { shop: 1 }, headers: { a: 'b' } } }
    expect(follow([rule], '<a href="/1"> big \n <b>sale</b></a>')).toMatchObject([
      { priority: 3, headers: { a: 'b' }, meta: { shop: 1, linkText: 'big sale' } },
    ])
  })
})

describe('apply', () => {
  const rules = new LinkRules([{}])
  const from = 'http://a.test/0'

  it.each<[string, Partial<CrawlRequest>, boolean]>([
    ['a start page', {}, true],
    ['what a rule led to', { from, handler: RULES_HANDLER }, true],
    ['a page of a rule that follows', { from, handler: 'item', meta: { $follow: true } }, true],
    ['a page of a rule that does not', { from, handler: 'item' }, false],
    ['a page that a handler requested', { from }, false],
  ])('is right for %s', (_, requested, applies) => {
    expect(rules.apply(pageOf('x', requested))).toBe(applies)
  })

  it('is not for what is no HTML, nor without rules', () => {
    expect(rules.apply(pageOf('{"a": "<a href=x>"}', {}, 'application/json'))).toBe(false)
    expect(new LinkRules([]).apply(pageOf('x'))).toBe(false)
  })
})
