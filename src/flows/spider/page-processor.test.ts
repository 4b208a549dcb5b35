import { describe, expect, it } from 'vitest'
import { LeapClock } from '../../../testing/leap-clock.ts'
import { testRules } from '../../../testing/test-rules.ts'
import type { CrawlRequest } from '../../domain/frontier/crawl-request.ts'
import { Admission } from './admission.ts'
import { Page } from './handler-page.ts'
import { drop } from './hooks.ts'
import { KnownRequests } from './known-requests.ts'
import { LocalCalls } from './local-calls.ts'
import { RequestOutput } from './output.ts'
import { NO_OUTPUT, PageProcessor } from './page-processor.ts'
import { RULES_HANDLER } from './rule-names.ts'
import type { AnySpider } from './spider-definition.ts'
import { StatsCounter } from './spider-stats.ts'
import { TimeLimit } from './time-limit.ts'

function workOf(spider: Partial<AnySpider>) {
  const clock = new LeapClock()
  const { normalize, filter } = testRules(clock)
  const stats = new StatsCounter()
  const known = new KnownRequests()
  const calls = new LocalCalls({ name: 'x', ...spider }, normalize, new TimeLimit(clock, 1_000))
  const admission = new Admission({ normalize, filter, maxRedirects: 1, maxDepth: 3, known })
  const work = new PageProcessor({ clock, calls, admission, stats })
  const handle = async (page: Page) => {
    const brought = await work.handle(page)
    if (!('requests' in brought)) throw new Error('a hook has a verdict')
    return brought
  }
  const pageOf = (requested: Partial<CrawlRequest> = {}, html = '<a href="/1">1</a>') =>
    new Page({
      request: { url: 'http://a.test/', handler: 'parse', depth: 0, ...requested },
      ...{ attempt: 1, status: 200, headers: [['content-type', 'text/html']], normalize },
      bytes: Buffer.from(html),
    })
  return { work, handle, stats, pageOf, known }
}

describe('PageProcessor', () => {
  it('sorts what a handler returns', async () => {
    const { handle, stats, pageOf } = workOf({
      *parse(page) {
        yield page.item({ n: 1 })
        yield page.item({ n: 2 })
        yield page.follow('/x')
        yield page.follow('mailto:x')
      },
      pipelines: [{ process: (item) => ((item as { n: number }).n === 2 ? drop('two') : item) }],
    })
    expect(await handle(pageOf({ depth: 2 }))).toEqual({
      requests: [{ url: 'http://a.test/x', handler: 'parse', depth: 3, from: 'http://a.test/' }],
      items: [{ n: 1 }],
      rejected: [],
      dropped: { url: 1 },
    })
    expect(stats.snapshot(0)).toMatchObject({ dropped: { two: 1 }, skipped: { url: 1 } })
    expect((await handle(pageOf({ depth: 3 }))).requests).toEqual([])
  })

  it('counts as a duplicate what is known', async () => {
    const { handle, stats, pageOf, known } = workOf({ parse: (page) => page.followAll('a') })
    const { requests } = await handle(pageOf())
    known.add(requests)
    expect(await handle(pageOf({}, '<a href="/1"></a><a href="2"></a>'))).toMatchObject({
      requests: [{ url: 'http://a.test/2' }],
    })
    expect(stats.snapshot(0)).toMatchObject({ duplicates: 1, skipped: {} })
  })

  it('has the rules follow after the handler', async () => {
    const { handle, pageOf } = workOf({ parse: (page) => page.follow('/own'), rules: [{ handler: 'parse' }] })
    const { requests } = await handle(pageOf())
    expect(requests.map(({ url }) => url)).toEqual(['http://a.test/own', 'http://a.test/1'])
  })

  it('has no handler for what is only looked through, nor for the start of a spider of rules alone', async () => {
    const { handle, pageOf } = workOf({ rules: [{}] })
    for (const handler of ['parse', RULES_HANDLER])
      expect((await handle(pageOf({ handler }))).requests).toHaveLength(1)
  })

  it('takes what an error handler returns', async () => {
    const { work, pageOf } = workOf({ onError: ({ page, url }) => [page.item({ url }), page.follow('/2')] })
    const error = { code: 'http-404', reason: '', url: 'http://a.test/', attempts: 1, page: pageOf() }
    expect(await work.handleError(error)).toMatchObject({
      items: [{ url: 'http://a.test/' }],
      requests: [{ depth: 1 }],
    })
    expect(await workOf({}).work.handleError(error)).toMatchObject(NO_OUTPUT)
  })

  it('takes requests of an idle spider as start requests', async () => {
    const { work, stats } = workOf({ onIdle: () => [new RequestOutput('http://b.test/')] })
    const { requests } = await work.idle(stats.snapshot(0))
    expect(requests).toEqual([{ url: 'http://b.test/', handler: 'parse', depth: 0 }])
  })
})
