import { expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { FakeLiveCrawl, HOSTILE_HOST } from '../../../testing/fake-live-crawl.ts'
import type { LiveCrawl } from '../../domain/live/live-crawl.ts'
import { scrapeCrawls } from './scrape-crawls.ts'

const clock = new FakeClock()

const target = (name: string, live?: LiveCrawl) => ({ name, live: { find: async () => live } })

const linesOf = (text: string, name: string) => text.split('\n').filter((line) => line.startsWith(`${name}{`))

it('gives each crawl a label, in one family per metric', async () => {
  const targets = ['a', 'b'].map((name) => target(name, new FakeLiveCrawl(clock)))
  const text = await scrapeCrawls(targets, [])
  const { totals } = await new FakeLiveCrawl(clock).report()
  expect(linesOf(text, 'orbweaver_pages_total')).toEqual([
    `orbweaver_pages_total{crawl="a"} ${totals.pages}`,
    `orbweaver_pages_total{crawl="b"} ${totals.pages}`,
  ])
  const families = text.split('\n').filter((line) => line.startsWith('# TYPE'))
  expect(new Set(families).size).toBe(families.length)
})

it('reports a crawl that is not running, or that cannot be reached, as not up, and the others as up', async () => {
  const unreachable: LiveCrawl = Object.assign(new FakeLiveCrawl(clock), {
    report: () => Promise.reject(new Error('the socket is closed')),
  })
  const text = await scrapeCrawls(
    [target('a'), target('b', unreachable), target('c', new FakeLiveCrawl(clock))],
    [],
  )
  expect(linesOf(text, 'orbweaver_up')).toEqual([
    ...['orbweaver_up{crawl="a"} 0', 'orbweaver_up{crawl="b"} 0', 'orbweaver_up{crawl="c"} 1'],
  ])
  expect(linesOf(text, 'orbweaver_pages_total')).toHaveLength(1)
})

it('has figures of the 20 hosts with the longest queues, whatever the number of hosts', async () => {
  const live = new FakeLiveCrawl(clock, { hosts: 5_000 })
  const text = await scrapeCrawls([target('a', live)], [])
  const { hosts } = await live.hosts({ sort: 'queued', descending: true, offset: 0, limit: 20 })
  expect(linesOf(text, 'orbweaver_host_queued_urls')).toEqual(
    hosts.map(({ host, queued }) => `orbweaver_host_queued_urls{crawl="a",host="${host}"} ${queued}`),
  )
  expect(linesOf(text, 'orbweaver_host_parked_until_timestamp_seconds').length).toBeLessThanOrEqual(20)
  const few = await scrapeCrawls([target('a', new FakeLiveCrawl(clock, { hosts: 40 }))], [])
  expect(text.split('\n').length - few.split('\n').length).toBeLessThanOrEqual(20)
})

it('escapes names that try to add labels or lines', async () => {
  const live = new FakeLiveCrawl(clock, { hosts: 1, hostile: true })
  const text = await scrapeCrawls([target('a"\nb', live)], [])
  expect(linesOf(text, 'orbweaver_host_queued_urls')[0]).toContain(
    `crawl="a\\"\\nb",host="${HOSTILE_HOST.replaceAll('"', '\\"')}"} `,
  )
})
