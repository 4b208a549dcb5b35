import fc from 'fast-check'
import { expect, it } from 'vitest'
import { limitsFor } from '../../../testing/judge/limits.ts'
import { type LabWeb, linksTo, SpiderLab } from '../../../testing/spider-lab.ts'
import type { AnySpider } from './spider-definition.ts'

const HOSTS = 3
const PAGES = 12

type Response =
  | { readonly kind: 'page'; readonly links: readonly number[] }
  | { readonly kind: 'redirect'; readonly to: number }
  | { readonly kind: 'gone' }
  /** Fails this many times, then is a page. */
  | { readonly kind: 'flaky'; readonly times: number; readonly links: readonly number[] }
  /** Its handler throws. */
  | { readonly kind: 'broken' }
  | { readonly kind: 'dead' }

const anyPage = fc.nat({ max: PAGES - 1 })
const anyLinks = fc.array(anyPage, { maxLength: 4 })
const anyResponse: fc.Arbitrary<Response> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('page' as const), links: anyLinks }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('redirect' as const), to: anyPage }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('flaky' as const), times: fc.nat({ max: 2 }), links: anyLinks }),
  },
  { weight: 1, arbitrary: fc.constantFrom({ kind: 'gone' }, { kind: 'broken' }, { kind: 'dead' } as const) },
)
const anyOptions = fc.record({
  order: fc.constantFrom<AnySpider['order'] & string>('hosts', 'fifo', 'lifo', 'priority'),
  threads: fc.integer({ min: 1, max: 8 }),
  queueDepth: fc.integer({ min: 1, max: 40 }),
  delays: fc.record(
    {
      delayMs: fc.constantFrom(0, 100),
      minDelayMs: fc.constantFrom(0, 50),
      maxInFlight: fc.integer({ min: 1, max: 3 }),
    },
    // The default of a second would be longer than a run between two interruptions.
    { requiredKeys: ['delayMs'] },
  ),
  settleEveryMs: fc.constantFrom(1, 200, 1_000),
  disallowed: anyPage,
  /** Interrupted after this and run again, until it is finished. */
  interruptMs: fc.constantFrom(250, 1_000, 1e9),
})

const urlOf = (page: number) => `http://h${page % HOSTS}.test/${page}`

it('handles every page that can be reached and is allowed exactly once, whatever the web and the options', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(anyResponse, { minLength: PAGES, maxLength: PAGES }),
      fc.array(anyPage, { minLength: 1, maxLength: 3 }),
      anyOptions,
      async (responses, starts, options) => {
        const { order, threads, queueDepth, delays, settleEveryMs, disallowed, interruptMs } = options
        const lab = new SpiderLab(webOf(responses, disallowed), {
          ...{ threads, queueDepth, settleEveryMs },
          politeness: { ...delays, backoffMs: 100, maxFailures: 1_000 },
          maxRedirects: 100,
        })
        const handled: string[] = []
        const spider: Partial<AnySpider> = {
          ...{ start: starts.map(urlOf), allow: '*', order },
          parse(page) {
            if (responses[Number(new URL(page.url).pathname.slice(1))]?.kind === 'broken')
              throw new Error('no')
            handled.push(page.url)
            return [page.item({ url: page.url }), ...page.followAll('a')]
          },
          limits: { maxHandlerErrorsInRow: 0 },
          retry: { delaySeconds: { serverError: 0.5, network: 0.5 } },
        }
        for (let run = 0; run < 500; run++) {
          const controller = new AbortController()
          const cancel = lab.clock.after(interruptMs, () => controller.abort())
          const ended = await lab.run(spider, controller.signal)
          cancel()
          if (ended === 'finished') break
        }
        const { pages, failed } = expected(responses, starts, disallowed)
        expect(handled.sort()).toEqual(pages)
        expect((await lab.items()).map(({ url }) => url).sort()).toEqual(pages)
        expect((await lab.failed()).map(({ request }) => request.url).sort()).toEqual(failed)
        expect(lab.requested).not.toContain(urlOf(disallowed))
        expect(
          lab.web.judge.violations({
            ...limitsFor(delays),
            startToleranceMs: 0,
            maxRepeats: 1_000,
            robotsFirst: false,
          }),
        ).toEqual([])
        expect(await lab.frontier.pending(lab.clock.now())).toMatchObject({ ready: 0, delayed: 0, leased: 0 })
      },
    ),
    { numRuns: 60 },
  ))

function webOf(responses: readonly Response[], disallowed: number): LabWeb {
  const web: Record<string, LabWeb[string]> = {
    [new URL('/robots.txt', urlOf(disallowed)).href]: `User-agent: *\nDisallow: /${disallowed}$`,
  }
  for (const [n, response] of responses.entries()) {
    let failures = response.kind === 'flaky' ? response.times : 0
    web[urlOf(n)] = () => {
      switch (response.kind) {
        case 'page':
          return linksTo(...response.links.map(urlOf))
        case 'flaky':
          return failures-- > 0 ? { status: 500 } : linksTo(...response.links.map(urlOf))
        case 'redirect':
          return { status: 302, to: urlOf(response.to) }
        case 'broken':
          return 'x'
        case 'gone':
          return { status: 410 }
        case 'dead':
          return { status: 'reset' }
      }
    }
  }
  return web
}

/** Worked out from the web alone. */
function expected(responses: readonly Response[], starts: readonly number[], disallowed: number) {
  const seen = new Set(starts)
  const pages: string[] = []
  const failed: string[] = []
  for (const n of seen) {
    const response = responses[n]
    if (response === undefined || n === disallowed) continue
    if (response.kind === 'page' || response.kind === 'flaky') {
      pages.push(urlOf(n))
      for (const link of response.links) seen.add(link)
    } else if (response.kind === 'redirect') seen.add(response.to)
    else failed.push(urlOf(n))
  }
  return { pages: pages.sort(), failed: failed.sort() }
}
