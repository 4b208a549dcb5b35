import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { ConfigurationError } from '../base/crawl-error.ts'
import type { JsonObject } from '../base/json.ts'
import type { Page } from '../flows/spider/handler-page.ts'
import { checkSpider, type Spider, spider } from './define-spider.ts'
import { runSpider } from './run-spider.ts'
import type { SpiderRun } from './run-spider-options.ts'

const start = 'http://a.test/'
const schema = z.object({ title: z.string(), price: z.coerce.number<string>() })

describe('spider', () => {
  it('returns the definition, frozen', () => {
    const made = spider({ name: 'x', start, parse: () => {} })
    expect(made).toMatchObject({ name: 'x', start })
    expect(Object.isFrozen(made)).toBe(true)
  })

  it('rejects an invalid definition at once', () => {
    expect(() => spider({ name: 'x y', start, parse: () => {} })).toThrow(ConfigurationError)
  })
})

// These are checked by the compiler; that they run too is a bonus.
describe('the types of a spider', () => {
  it('come from its schema: the input type for handlers, the output type for pipelines', () => {
    const shop = spider({
      name: 'shop',
      start,
      item: schema,
      *parse(page) {
        expectTypeOf(page).toEqualTypeOf<Page<{ title: string; price: string }, 'parse'>>()
        yield page.item({ title: 'x', price: '3' })
        // @ts-expect-error the schema takes text
        yield page.item({ title: 'x', price: 3 })
        // @ts-expect-error a field is missing
        yield page.item({ title: 'x' })
      },
      pipelines: [
        {
          process(item) {
            expectTypeOf(item).toEqualTypeOf<{ title: string; price: number }>()
            return item
          },
        },
      ],
    })
    expectTypeOf(shop).toEqualTypeOf<
      Spider<{ title: string; price: string }, { title: string; price: number }, never>
    >()
  })

  it('allow any JSON object as an item without a schema', () => {
    spider({
      name: 'x',
      start,
      parse(page) {
        expectTypeOf(page.item).parameter(0).toEqualTypeOf<JsonObject>()
        // @ts-expect-error text is not an item
        return [page.item({ any: ['thing'] }), page.item('text')]
      },
    })
  })

  it('check handler names everywhere', () => {
    const made = spider({
      name: 'x',
      start,
      *parse(page) {
        expectTypeOf(page).toEqualTypeOf<Page<JsonObject, 'parse' | 'detail' | 'list'>>()
        yield page.follow('/1', 'detail')
        yield page.follow('/1', { handler: 'parse' })
        yield* page.followAll('a', 'list')
        // @ts-expect-error there is no such handler
        yield page.follow('/1', 'detial')
        // @ts-expect-error there is no such handler
        yield page.follow('/1', { handler: 'detial' })
        // @ts-expect-error there is no such handler
        yield* page.followAll('a', { handler: 'detial' })
      },
      handlers: {
        detail: (page) => page.follow('/x', 'list'),
        async *list(page) {
          // @ts-expect-error there is no such handler
          yield page.follow('/x', 'lits')
        },
      },
      rules: [{ handler: 'detail' }],
      onError: ({ page }) => page.follow('/', 'list'),
    })
    expectTypeOf(made).toEqualTypeOf<Spider<JsonObject, JsonObject, 'detail' | 'list'>>()
    const parse = () => {}
    const handlers = { a: parse }
    // @ts-expect-error a rule names a handler that is none
    expect(() => spider({ name: 'x', start, handlers, rules: [{ handler: 'b' }] })).toThrow()
    const sitemap = { urls: [start], rules: [{ match: /x/, handler: 'b' as const }] }
    // @ts-expect-error so does a rule for a sitemap
    expect(() => spider({ name: 'x', sitemap, parse })).toThrow()
  })

  it('reject invalid handler results and limits', () => {
    spider({ name: 'x', start, parse: () => ({ title: 'x' }) })
    // @ts-expect-error with a schema, an item is made by page.item
    spider({ name: 'x', start, item: z.object({ title: z.string() }), parse: () => ({ title: 'x' }) })
    // @ts-expect-error not an item
    spider({ name: 'x', start, parse: () => 'x' })
    // @ts-expect-error the limit is called maxPages
    expect(() => spider({ name: 'x', start, parse: () => {}, limits: { maxpages: 1 } })).toThrow('maxPages')
    // @ts-expect-error there is no such order
    expect(() => spider({ name: 'x', start, parse: () => {}, order: 'random' })).toThrow('random')
  })

  it('contain no any', () => {
    type PageOfShop = Page<z.input<typeof schema>, 'parse'>
    const json = (page: PageOfShop) => page.json()
    const checked = (page: PageOfShop) => page.json(schema)
    expectTypeOf(json).returns.toBeUnknown()
    expectTypeOf(checked).returns.toEqualTypeOf<{ title: string; price: number }>()
    expectTypeOf<PageOfShop['meta']>().toEqualTypeOf<JsonObject>()
    expectTypeOf<PageOfShop['meta'][string]>().not.toBeAny()
    expectTypeOf<Parameters<NonNullable<Spider['onIdle']>>[0]>().not.toBeAny()
    expectTypeOf<Parameters<NonNullable<Spider['onError']>>[0]['cause']>().toBeUnknown()
    const dated = spider({
      name: 'x',
      start: 'https://a.example/',
      item: z.object({ title: z.string(), seen: z.date(), count: z.number().default(0) }),
      parse() {},
    })
    type Stored = { readonly title: string; readonly seen: string; readonly count: number }
    const run = () => runSpider(dated)
    expectTypeOf(run).returns.toEqualTypeOf<SpiderRun<{ title: string; seen: Date; count: number }>>()
    expectTypeOf<Awaited<ReturnType<typeof run>>['items']>().toEqualTypeOf<readonly Stored[]>()
    expectTypeOf<ReturnType<typeof run>['items']>().toEqualTypeOf<AsyncIterable<Stored>>()
  })
})

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
  ])('accepts %s', (_, spider) => {
    expect(() => checkSpider(spider)).not.toThrow()
  })

  it.each<[object, string]>([
    [{ ...good, name: '' }, 'needs a name'],
    [{ ...good, name: 'a/b' }, '"a/b"'],
    [{ start: 'x', parse }, 'needs a name'],
    [{ name: 'x', parse }, 'give start'],
    [{ name: 'x', start: [] }, 'give parse, handlers or rules'],
    [{ ...good, prase: parse }, 'did you mean parse?'],
    [{ ...good, zzzzzzzz: 1 }, 'zzzzzzzz: unknown name'],
    [{ ...good, parse: 'x' }, 'parse must be a function'],
    [{ ...good, rules: {} }, 'rules must be a list'],
    [{ ...good, handlers: { parse } }, 'define parse next to handlers'],
    [{ ...good, handlers: { $x: parse } }, 'begin with $'],
    [{ ...good, handlers: { a: 1 } }, 'handler a must be a function'],
    [{ ...good, limits: { maxpage: 1 } }, 'did you mean maxPages?'],
    [{ ...good, limits: { maxPages: '3' } }, 'limits.maxPages is "3"'],
    [{ ...good, limits: { maxPages: -1 } }, 'at least 0'],
    [{ ...good, limits: { maxPages: Number.NaN } }, 'at least 0'],
    [{ ...good, handlerThreads: 0 }, 'handlerThreads is 0; give a whole number of at least 1'],
    [{ ...good, handlerThreads: 1.5 }, 'whole number'],
    [{ ...good, handlerThreads: 2, isolated: false }, 'remove one of the two'],
    [{ ...good, handlers: { detail: parse }, rules: [{ handler: 'detial' }] }, 'did you mean detail?'],
    [{ ...good, sitemap: { urls: [], rules: [{ handler: 'x' }] } }, 'names the handler x'],
    [{ ...good, order: 'best' }, 'order is "best"'],
    [{ ...good, allow: 'a.test' }, "give a list of host names such as ['example.org']"],
    [{ ...good, allow: ['http://a.test/'] }, 'allow is ["http://a.test/"]'],
    [{ ...good, allow: ['a.test:8080'] }, 'allow is ["a.test:8080"]'],
    [{ ...good, rules: ['x'] }, 'rules has "x"; give a rule'],
    [{ ...good, settings: { politness: {} } }, 'settings: politness: unknown key; did you mean politeness?'],
  ])('reports the problem with %o', (spider, message) => {
    expect(() => checkSpider(spider)).toThrow(ConfigurationError)
    expect(() => checkSpider(spider)).toThrow(message)
  })
})

it('reports all problems of a spider together', () => {
  const broken = { ...good, limits: { maxPage: 3 }, settings: { politenes: {} }, rules: ['x'], handlers: 3 }
  expect(() => checkSpider(broken)).toThrow(
    [
      'spider good-1_x: handlers must be an object',
      'spider good-1_x: limits.maxPage: unknown name; did you mean maxPages?',
      'spider good-1_x: rules has "x"; give a rule such as { links: { allow: /\\/articles\\// }, handler: \'article\' }',
      'spider good-1_x: settings: politenes: unknown key; did you mean politeness?',
    ].join('\n'),
  )
})

describe('meta schemas', () => {
  const start = 'https://a.example/'
  const page = z.object({ page: z.number(), seen: z.coerce.date().optional() })

  it('type page.meta of their handler and the meta of requests for it', () => {
    spider({
      name: 'x',
      start,
      meta: { list: page },
      *parse(found) {
        expectTypeOf(found.meta).toEqualTypeOf<JsonObject>()
        yield found.follow('/1', { handler: 'list', meta: { page: 1 } })
        yield* found.followAll('a', { handler: 'list', meta: { page: 2 }, priority: 1 })
        yield found.follow('/2', 'detail')
        yield found.follow('/2', { handler: 'detail', meta: { anything: true } })
        // @ts-expect-error the meta of list needs a page
        yield found.follow('/3', { handler: 'list' })
        // @ts-expect-error the meta of list needs a page
        yield found.follow('/3', 'list')
        // @ts-expect-error the page is a number
        yield found.follow('/3', { handler: 'list', meta: { page: '1' } })
      },
      handlers: {
        list(found) {
          expectTypeOf(found.meta).toEqualTypeOf<{ page: number; seen?: Date | undefined }>()
        },
        detail(found) {
          expectTypeOf(found.meta).toEqualTypeOf<JsonObject>()
        },
      },
    })
  })

  it.each([
    [{ lsit: page }, 'meta names the handler lsit: '],
    [{ list: {} }, 'meta.list must be a schema'],
  ])('must be schemas of handlers that exist: %o', (meta, problem) => {
    const definition = { name: 'x', start, meta, handlers: { list() {} } }
    expect(() => checkSpider(definition)).toThrow(problem)
  })
})
