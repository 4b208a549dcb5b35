import { expect, it } from 'vitest'
import { FakeClock } from '../../testing/fake-clock.ts'
import { FakeLiveCrawl } from '../../testing/fake-live-crawl.ts'
import { metricsRoute } from './metrics-route.ts'

it('has the metrics of all crawls of a server', async () => {
  const { routes, close } = metricsRoute([
    { name: 'a', live: { find: async () => new FakeLiveCrawl(new FakeClock()) } },
    { name: 'b', live: { find: async () => undefined } },
  ])
  const response = await routes.request('/metrics')
  close()
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  const text = await response.text()
  expect(text).toContain('orbweaver_up{crawl="a"} 1\norbweaver_up{crawl="b"} 0\n')
  expect(text).toContain('process_resident_memory_bytes ')
})
