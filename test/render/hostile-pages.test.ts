import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import type { OrbweaverConfig } from '../../src/adapters/config/config-schema.ts'
import { spider } from '../../src/wiring/define-spider.ts'
import { runSpider } from '../../src/wiring/run-spider.ts'
import type { SpiderResult } from '../../src/wiring/run-spider-options.ts'
import { command, QUICK } from '../../testing/command-line.ts'
import { appSite } from '../../testing/javascript-sites/app-site.ts'
import { HOSTILE_SCRIPTS, hostileAppSite } from '../../testing/javascript-sites/hostile-app-site.ts'
import { it, JavaScriptWeb } from './javascript-web.ts'

/** A server of the local network that no page may reach. */
let inner: JavaScriptWeb
let web: JavaScriptWeb
let result: SpiderResult
let endless: SpiderResult
const shown = new Map<string, { text: string; bytes: number; links: readonly string[] }>()

// One browser renders many pages, so that each shows what it does to the others.
beforeAll(async () => {
  inner = await JavaScriptWeb.start(appSite, '127.0.0.41')
  const { port } = new URL(inner.origin)
  const reach = [`${inner.origin}/about`, `http://localhost:${port}/`, `http://[::ffff:127.0.0.41]:${port}/`]
  const more = ['http://169.254.169.254/latest/meta-data/', 'http://10.0.0.1/', 'http://0.0.0.0/']
  web = await JavaScriptWeb.start(hostileAppSite([...reach, ...more]), '127.0.0.42')
  const all = ['/reach', '/reach-by-redirect', ...Object.keys(HOSTILE_SCRIPTS)]
  result = await renderAll(
    all.filter((path) => !ENDLESS.includes(path)),
    { timeoutSeconds: 20, maxWaitSeconds: 3, quietSeconds: 0.3, maxRequests: 40 },
  )
  // One at a time: they take all the time of the machine. The last page shows that the browser is usable.
  endless = await renderAll([...ENDLESS, '/worker?again'], { timeoutSeconds: 2, pages: 1 })
})

const ENDLESS = ['/loop', '/alert-loop', '/memory']

function renderAll(paths: readonly string[], render: NonNullable<OrbweaverConfig['render']>) {
  return runSpider(
    spider({
      ...{ name: 'hostile', start: paths.map((path) => web.origin + path), render: 'always' },
      retry: { retries: { network: 0, tooSlow: 0 } },
      settings: { politeness: { delaySeconds: 0 }, http: { maxBodyBytes: 1_000_000 }, render },
      parse(page) {
        const links = page.links().map(({ url }) => url)
        const text = page.text('#shown').replace('shown: ', '')
        shown.set(page.url.slice(web.origin.length), { text, bytes: page.bytes.length, links })
      },
    }),
  )
}
afterAll(async () => {
  await web.close()
  await inner.close()
})

const failuresOf = (kind: string) => result.stats.failed[kind] ?? 0

it('reaches no private address from scripts, nor by redirects', () => {
  expect(shown.get('/reach')?.text).toBe('refused refused refused refused refused refused')
  expect(shown.get('/reach-by-redirect')?.text).toBe('refused')
  expect(inner.paths).toEqual([])
})

it('opens no windows, and closes dialogs', () => {
  expect(shown.get('/windows')?.text).toBe('windows')
  expect(shown.get('/alerts')?.text).toBe('alerts')
  expect(web.paths.filter((path) => path.startsWith('/api/opened'))).toEqual([])
})

it('ends pages that loop for ever, and renders the others', () => {
  expect(endless.ended).toBe('finished')
  for (const path of ENDLESS) expect(shown.has(path)).toBe(false)
  const { 'too-slow': slow = 0, 'network-failure': crashed = 0 } = endless.stats.failed
  expect(slow + crashed).toBe(3)
  expect(shown.get('/worker?again')?.text).toBe('worker ok')
})

it('limits the size of a page and the number of its requests', () => {
  expect(shown.get('/huge')?.bytes).toBe(1_000_000)
  expect(result.stats.truncated).toEqual({ 'http.maxBodyBytes': 1 })
  expect(shown.get('/busy')?.text).toBe('busy')
  expect(web.paths.filter((path) => path === '/api/tick').length).toBeLessThanOrEqual(40)
  expect(shown.get('/polling')?.text).toBe('polling')
})

it('treats a navigation by a script as a redirect, under the rules of the crawl', () => {
  expect(shown.has('/target?from=script')).toBe(true)
  expect(shown.has('/leave')).toBe(false)
  expect(failuresOf('refused-address')).toBe(1)
  expect(shown.get('/leave-scheme')?.text).toBe('stayed')
})

it('starts no downloads, sockets or service workers, and lets no page stay', () => {
  expect(shown.get('/download')?.text).toBe('download')
  expect(web.paths).not.toContain('/endless')
  expect(shown.get('/socket')?.text).toBe('refused')
  expect(shown.get('/unload')?.text).toBe('unload')
  expect(web.paths.filter((path) => path === '/worker.js')).toHaveLength(2)
})

it('records the sockets that were refused', async () => {
  expect(await explained('/socket')).toMatch(/^rendered chromium .*websocket 1/m)
})

it('does not wait for a page that the browser never calls idle', async () => {
  const explanation = await explained('/never-idle')
  expect(explanation).toMatch(/^rendered chromium/m)
  expect(explanation).not.toContain('incomplete')
})

async function explained(path: string): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'orbweaver-hostile-'))
  try {
    await command(['crawl', dir, web.origin + path, '--render', 'always', '--rounds', '1', ...QUICK])
    return (await command(['explain', dir, web.origin + path])).stdout
  } finally {
    rmSync(dir, { recursive: true })
  }
}

it('sends the requests of workers by the same rules', () => {
  expect(shown.get('/worker')?.text).toBe('worker ok')
})

it('resolves links against the address that a script has set', () => {
  expect(shown.get('/pushed')?.links).toEqual([`${web.origin}/deep/below/next`])
})
