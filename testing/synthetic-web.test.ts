import { afterAll, beforeAll, expect, it } from 'vitest'
import { accessTo } from './synthetic-web/site-robots.ts'
import { type SyntheticWeb, startSyntheticWeb } from './synthetic-web.ts'

let web: SyntheticWeb
beforeAll(async () => {
  web = await startSyntheticWeb({ hosts: 12, pages: 120 })
})
afterAll(() => web.close())

it('responds to each expected URL as expected', async () => {
  for (const [url, { status, requested }] of web.expected()) {
    if (!requested) continue
    const response = await fetch(url, { redirect: 'manual' }).then(
      (response) => response.status,
      () => 'hung up',
    )
    expect([url, STATUSES[status]?.includes(response)]).toEqual([url, true])
  }
})

const STATUSES: Readonly<Record<string, ReadonlyArray<number | string>>> = {
  db_fetched: [200],
  db_gone: [401, 404, 410],
  db_redir_perm: [301, 308],
  db_redir_temp: [302, 307],
  // 302: redirect loops.
  db_unfetched: [302, 500, 503, 'hung up'],
}

it('has links in several notations, and links that a crawler must not follow', async () => {
  const html = await (await fetch(web.seeds[0] ?? '')).text()
  expect(html).toContain('/hidden/rel" rel="nofollow"')
  expect(html).toContain(';jsessionid=')
})

it('returns 304 for a page until the next edition', async () => {
  const [url = ''] = [...web.expected().keys()].filter(
    (url) => web.changes(url) && web.pageAt(url)?.validator === 'etag',
  )
  const etag = (await fetch(url)).headers.get('etag') ?? ''
  const again = () => fetch(url, { headers: { 'if-none-match': etag } }).then(({ status }) => status)
  expect(await again()).toBe(304)
  web.edition++
  expect(await again()).toBe(200)
})

it.each([
  ['/', 'allowed'],
  ['/private/x', 'denied'],
  ['/private/open', 'allowed'],
  ['/a.cgi', 'denied'],
  ['/a.cgi.html', 'allowed'],
  ['/p/1?print=1', 'denied'],
])('reads the rules for %s as %s', (path, access) => {
  const [first] = web.sites.values()
  expect(first && accessTo(path, first.plan.robots)).toBe(access)
})
