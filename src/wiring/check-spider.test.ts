import { describe, expect, it } from 'vitest'
import { ConfigurationError } from '../base/crawl-error.ts'
import { checkSpider } from './check-spider.ts'

const parse = () => {}
const good = { name: 'good-1_x', start: 'http://a.test/', parse }

describe('checkSpider', () => {
  it.each<[string, object]>([
    ['a handler and a start', good],
    ['hosts', { ...good, allow: ['a.test', '*.b.test', '127.0.0.1', '[::1]', '*'] }],
    ['any host', { ...good, allow: '*' }],
    ['rules alone', { name: 'x', start: [], rules: [{}] }],
    [
      'a sitemap',
      { name: 'x', sitemap: { urls: [], rules: [{ match: /x/, handler: 'a' }] }, handlers: { a: parse } },
    ],
    [
      'all limits',
      {
        ...good,
        limits: {
          depth: 0,
          maxPages: 1,
          maxPagesPerHost: 1,
          maxItems: 1,
          maxTimeSeconds: 0.5,
          handlerSeconds: 0,
          maxHandlerErrorsInRow: 0,
        },
      },
    ],
    ['keys that are undefined', { ...good, rules: undefined, limits: undefined }],
    ['settings', { ...good, settings: { politeness: { delaySeconds: 1 } } }],
  ])('has nothing against %s', (_, spider) => {
    expect(() => checkSpider(spider)).not.toThrow()
  })

  it.each<[object, string]>([
    [{ ...good, name: '' }, 'needs a name'],
    [{ ...good, name: 'a/b' }, '"a/b"'],
    [{ start: 'x', parse }, 'needs a name'],
    [{ name: 'x', parse }, 'give start'],
    [{ name: 'x', start: [] }, 'give parse, handlers or rules'],
    [{ ...good, prase: parse }, 'did you mean parse?'],
    [{ ...good, zzzzzzzz: 1 }, 'zzzzzzzz: there is no such thing'],
    [{ ...good, parse: 'x' }, 'parse must be a function'],
    [{ ...good, rules: {} }, 'rules must be a list'],
    [{ ...good, handlers: { parse } }, 'parse stands beside handlers'],
    [{ ...good, handlers: { $x: parse } }, 'begin with $'],
    [{ ...good, handlers: { a: 1 } }, 'handler a must be a function'],
    [{ ...good, limits: { maxpage: 1 } }, 'did you mean maxPages?'],
    [{ ...good, limits: { maxPages: '3' } }, 'limits.maxPages is "3"'],
    [{ ...good, limits: { maxPages: -1 } }, 'at least 0'],
    [{ ...good, limits: { maxPages: Number.NaN } }, 'at least 0'],
    [{ ...good, handlers: { detail: parse }, rules: [{ handler: 'detial' }] }, 'did you mean detail?'],
    [{ ...good, sitemap: { urls: [], rules: [{ handler: 'x' }] } }, 'names the handler x'],
    [{ ...good, order: 'best' }, 'order is "best"'],
    [{ ...good, allow: 'a.test' }, "give a list of host names such as ['example.org']"],
    [{ ...good, allow: ['http://a.test/'] }, 'allow is ["http://a.test/"]'],
    [{ ...good, allow: ['a.test:8080'] }, 'allow is ["a.test:8080"]'],
    [{ ...good, settings: { politness: {} } }, 'settings'],
  ])('says what is wrong with %o', (spider, message) => {
    expect(() => checkSpider(spider)).toThrow(ConfigurationError)
    expect(() => checkSpider(spider)).toThrow(message)
  })
})
