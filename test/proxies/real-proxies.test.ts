import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { HttpFetcher, type HttpFetcherOptions } from '../../src/adapters/http/http-fetcher.ts'
import { QuoteSite } from '../../testing/quote-site.ts'
import {
  type RealProxy,
  requireProxies,
  startMicrosocks,
  startTinyproxy,
} from '../../testing/real-proxies.ts'
import { runOrbweaver } from '../run-orbweaver.ts'
import { StartedOrbweaver } from '../started-orbweaver.ts'

const areInstalled = requireProxies()

describe.skipIf(!areInstalled)('a crawl through real proxies', () => {
  let site: QuoteSite
  let dir: string
  let http: RealProxy
  let socks: RealProxy
  const fetchers: HttpFetcher[] = []

  beforeAll(async () => {
    site = await QuoteSite.start()
    http = await startTinyproxy('BasicAuth me secret')
    socks = await startMicrosocks({ name: 'me', password: 'secret' })
  })
  afterAll(async () => {
    await Promise.all([site.close(), http.close(), socks.close()])
  })
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'orbweaver-proxies-'))
    site.web.judge.reset()
  })
  afterEach(async () => {
    for (const fetcher of fetchers.splice(0)) await fetcher.close()
    rmSync(dir, { recursive: true })
  })

  const fetchThrough = (proxy: HttpFetcherOptions['proxy'] & object, url: string, allowed = true) => {
    const fetcher = new HttpFetcher({ agent: { name: 'test' }, proxy, allowPrivateHosts: () => allowed })
    fetchers.push(fetcher)
    return fetcher.fetch({ url })
  }

  it.each(['local', 'both', 'proxy'] as const)('works over HTTP, names resolved by %s', async (resolve) => {
    const url = `http://me:secret@127.0.0.1:${http.port}`
    expect(await fetchThrough({ url, resolve }, `${site.origin}/`)).toMatchObject({ kind: 'success' })
    expect(http.log()).toContain(resolve === 'local' ? 'CONNECT 127.0.0.1:' : `GET ${site.origin}/`)
  })

  it('works over SOCKS5 with a password', async () => {
    const url = `socks5://me:secret@127.0.0.1:${socks.port}`
    expect(await fetchThrough({ url }, `${site.origin}/`)).toMatchObject({ kind: 'success' })
    expect(socks.log()).toContain('connected to')
  })

  it.each(['http', 'socks5'])('reports a wrong password over %s, without showing it', async (scheme) => {
    const port = scheme === 'http' ? http.port : socks.port
    const url = `${scheme}://me:hunter2@127.0.0.1:${port}`
    const outcome = await fetchThrough({ url }, `${site.origin}/`)
    expect(outcome).toMatchObject({ kind: 'network-failure', cause: 'proxy' })
    expect(JSON.stringify(outcome)).not.toContain('hunter2')
  })

  it.each(['http', 'socks5'])(
    'refuses private addresses over %s, for each way to resolve',
    async (scheme) => {
      const port = scheme === 'http' ? http.port : socks.port
      const url = `${scheme}://me:secret@127.0.0.1:${port}`
      for (const resolve of ['local', 'both', 'proxy'] as const)
        for (const target of [`${site.origin}/`, 'http://169.254.169.254/latest/'])
          expect(await fetchThrough({ url, resolve }, target, false)).toMatchObject({ kind: 'refused' })
      expect(await fetchThrough({ url, resolve: 'proxy' }, 'http://localhost/', false)).toMatchObject({
        kind: 'refused',
      })
      expect(site.web.judge.hits).toEqual([])
    },
  )

  it('crawls through two of them, and prints no password', async () => {
    const proxies = [http, socks].map(
      ({ port }, i) => `${i === 0 ? 'http' : 'socks5'}://me:secret@127.0.0.1:${port}`,
    )
    const flags = proxies.flatMap((url) => ['--proxy', url])
    const args = ['crawl', dir, `${site.origin}/`, '--delay', '0', '--email', 'a@b.test', ...flags, '--json']
    const run = await runOrbweaver([...args, '--log-level', 'debug'])
    expect(run).toMatchObject({ exitCode: 0 })
    expect(JSON.parse(run.stdout)).toMatchObject({ pages: 6 })
    expect(run.stdout + run.stderr).not.toContain('secret')
    expect(readFileSync(join(dir, 'settings.json'), 'utf8')).not.toContain('secret')
  })

  it('continues through the other proxy when one dies, and waits when both are dead', async () => {
    const [first, second] = await Promise.all([startTinyproxy(), startTinyproxy()])
    try {
      const seen: number[] = []
      const { promise: third, resolve: atThird } = Promise.withResolvers<void>()
      site.onRequested = (page) => {
        seen.push(page)
        if (page === 3) atThird()
      }
      const flags = [first, second].flatMap(({ port }) => ['--proxy', `http://127.0.0.1:${port}`])
      const args = ['crawl', dir, `${site.origin}/`, '--delay', '0.2', '--email', 'a@b.test', ...flags]
      const crawl = new StartedOrbweaver(args)
      await third
      await Promise.all([first.stop(), second.stop()])
      await crawl.says(/all 2 proxies fail/)
      await second.restart()
      await crawl.says(/works again/)
      const run = await crawl.ended
      expect(run).toMatchObject({ exitCode: 0 })
      expect(run.stderr.match(/proxies fail/g)).toHaveLength(1)
      expect([...new Set(seen)]).toEqual([1, 2, 3, 4, 5, 6])
      expect(site.web.judge.violations({ minGapMs: 200, maxRepeats: 1 })).toEqual([])
    } finally {
      site.onRequested = () => {}
      await Promise.all([first.close(), second.close()])
    }
  })
})
