import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { steadyClock } from '../../src/base/clock.ts'
import type { FetchRequest } from '../../src/domain/fetch/fetcher.ts'
import { hostOutcomeOf } from '../../src/domain/politeness/host-outcome.ts'
import { HostQueues } from '../../src/domain/politeness/host-queues.ts'
import type { Taken } from '../../src/domain/politeness/ticket.ts'
import { RobotsCache } from '../../src/domain/robots/robots-cache.ts'
import { page, reply } from '../../testing/misbehaving-web/route.ts'
import { useHostileWeb } from './hostile-web.ts'

const hostile = useHostileWeb()
const DELAY_MS = 60

it('60: obeys the delays of all hosts at once, as the servers see it', async () => {
  const { web } = hostile
  const fine = page('<title>fine</title>')
  const rules = (text: string) => reply({ headers: { 'Content-Type': 'text/plain' }, body: text })
  for (const host of ['one.test', 'two.test', 'three.test'])
    web.serve(host, { '/1': fine, '/2': fine, '/3': fine })
  web.serve('slow.test', {
    '/robots.txt': rules('User-agent: *\nCrawl-delay: 0.2\n'),
    '/1': fine,
    '/2': fine,
  })
  web.serve('shy.test', {
    '/robots.txt': rules('User-agent: *\nDisallow: /2\n'),
    '/1': fine,
    '/2': fine,
    '/3': fine,
  })
  let isBusy = true
  web.serve('busy.test', (exchange) => {
    if (exchange.request.path === '/robots.txt') return reply({ status: 404 })(exchange)
    if (!isBusy) return fine(exchange)
    isBusy = false
    return reply({ status: 429, headers: { 'Retry-After': '1' } })(exchange)
  })
  web.judge.disallow('shy.test', '/2')

  const hosts = ['one.test', 'two.test', 'three.test', 'slow.test', 'shy.test', 'busy.test']
  await crawl(hosts.flatMap((host) => [1, 2, 3].map((n) => `${web.origin(host)}/${n}`)))

  expect(web.judge.violations({ minGapMs: DELAY_MS, perHost: { 'slow.test': { minGapMs: 200 } } })).toEqual(
    [],
  )
  const hits = Object.fromEntries([...web.judge.verdicts()].map(([host, verdict]) => [host, verdict.hits]))
  expect(hits).toEqual({
    'one.test': 4,
    'two.test': 4,
    'three.test': 4,
    'slow.test': 4,
    'shy.test': 3,
    'busy.test': 4,
  })
})

/** The shortest polite crawl: no links, no retries, every request in the queue of its host. */
async function crawl(urls: readonly string[]): Promise<void> {
  const fetcher = hostile.fetcher()
  const robots = new RobotsCache(steadyClock, 'Orbweaver')
  const queues = new HostQueues<string>(steadyClock, { delayMs: DELAY_MS, backoffMs: DELAY_MS })
  for (const url of urls) queues.add(new URL(url).hostname, url)

  const handle = async (taken: Taken<string>): Promise<void> => {
    const { item: url, key } = taken
    const verdict = robots.peek(url)
    if (verdict === undefined) {
      // The request for robots.txt uses the slot of the host; the page waits for the next slot.
      await robots.load(url, (request: FetchRequest) => fetcher.fetch(request))
      queues.setCrawlDelay(key, robots.rules(url)?.crawlDelayMs ?? 0)
      queues.requeue(taken, { kind: 'success' })
    } else if (verdict.allowed) queues.release(taken, hostOutcomeOf(await fetcher.fetch({ url })))
    else queues.release(taken, { kind: 'not-sent' })
  }

  const running = new Set<Promise<void>>()
  for (;;) {
    const next = queues.take()
    if (next.kind === 'taken') {
      const job = handle(next).finally(() => running.delete(job))
      running.add(job)
    } else if (next.until !== undefined || running.size > 0) {
      const until = next.until ?? Number.POSITIVE_INFINITY
      const timer = new AbortController()
      const delay = sleep(Math.min(Math.ceil(until - steadyClock.now()), 10_000), undefined, {
        signal: timer.signal,
      })
      await Promise.race([delay.catch(() => {}), ...running])
      timer.abort()
    } else return
  }
}
