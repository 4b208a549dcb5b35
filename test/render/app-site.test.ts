import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { spider } from '../../src/wiring/define-spider.ts'
import { runSpider } from '../../src/wiring/run-spider.ts'
import { command, commandJson } from '../../testing/command-line.ts'
import { ARTICLES, appSite } from '../../testing/javascript-sites/app-site.ts'
import { it, JavaScriptWeb } from './javascript-web.ts'

let folder: string
const webs: JavaScriptWeb[] = []
const start = async (address: string) => {
  const web = await JavaScriptWeb.start(appSite, address)
  webs.push(web)
  return web
}
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-render-'))
})
afterAll(async () => {
  for (const web of webs) await web.close()
  rmSync(folder, { recursive: true })
})

it('runs a spider on an app, politely, and renders only the shells', async () => {
  const web = await start('127.0.0.31')
  const byTitle = new Map<string, { heading: string; isRendered: boolean }>()
  const { rendering } = await runSpider(
    spider({
      ...{ name: 'app', start: [`${web.origin}/`], render: 'auto' },
      settings: { politeness: { delaySeconds: 0.1 } },
      *parse(page) {
        byTitle.set(page.text('title'), { heading: page.text('h1'), isRendered: page.isRendered })
        yield* page.followAll('a')
      },
    }),
  )
  expect([...byTitle.keys()].sort()).toEqual(['About', 'Articles', ...ARTICLES].sort())
  expect(byTitle.get('Bees')).toMatchObject({ heading: 'Bees', isRendered: true })
  expect(byTitle.get('About')).toMatchObject({ heading: 'About', isRendered: false })
  expect(rendering).toEqual({ rendered: 6, failed: 0, apps: 0 })
  expect(web.violations(100)).toEqual([])
  expect(web.paths.filter((path) => path.startsWith('/assets/')).sort()).toEqual([
    ...['/assets/app.css', '/assets/app.js', '/assets/vendor.js'],
  ])
  expect(new Set(web.judge.hits.map(({ userAgent }) => userAgent.split('/')[0]))).toEqual(
    new Set(['orbweaver']),
  )
})

it('renders by handler and by URL pattern', async () => {
  const web = await start('127.0.0.32')
  const titles: Record<string, string> = {}
  await runSpider(
    spider({
      ...{
        name: 'chosen',
        start: [`${web.origin}/`, `${web.origin}/articles/1`, `${web.origin}/articles/2`],
      },
      render: { parse: 'always' },
      settings: {
        politeness: { delaySeconds: 0 },
        render: { urls: [{ match: '/articles/2$', mode: 'never' }] },
      },
      parse(page) {
        titles[new URL(page.url).pathname] = page.text('title')
      },
    }),
  )
  expect(titles).toEqual({
    ...{ '/': 'Articles', '/articles/1': 'Rain in May', '/articles/2': 'Loading' },
  })
})

it('crawls, indexes, certifies and explains an app', async () => {
  const web = await start('127.0.0.33')
  const dir = join(folder, 'app')
  const crawl = ['crawl', dir, `${web.origin}/`, '--render', 'auto', '--delay', '0.1', '--index']
  const { exitCode, stdout, stderr } = await command(crawl)
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 })
  expect(stdout).toContain('6 pages rendered in a browser')
  expect((await command(['search', dir, 'mill'])).stdout).toContain(`${web.origin}/articles/2`)
  expect((await command(['search', dir, 'enable'])).stdout).not.toContain('/articles/')
  const certificate = await commandJson<{ violations: number; hosts: unknown[] }>(['certify', dir])
  expect(certificate).toMatchObject({ violations: 0, hosts: [{ assetRequests: 3 }] })
  expect(web.violations(100)).toEqual([])
  expect((await command(['explain', dir, `${web.origin}/articles/2`])).stdout).toMatch(
    /^rendered chromium \d/m,
  )
})

it('says that pages look like apps when nothing is rendered', async () => {
  const web = await start('127.0.0.34')
  const crawled = await command(['crawl', join(folder, 'plain'), `${web.origin}/`, '--delay', '0'])
  expect(crawled.stdout).toContain('1 page looks like a JavaScript app; try --render auto')
  expect(web.paths).toEqual(['/robots.txt', '/'])
})

it('says how to install a missing browser', async () => {
  const web = await start('127.0.0.35')
  const crawl = ['crawl', join(folder, 'missing'), `${web.origin}/`, '--render', 'always']
  const path = process.env['PATH'] ?? ''
  process.env['PATH'] = '/nowhere'
  try {
    const { exitCode, stderr } = await command(crawl)
    expect(exitCode).toBe(2)
    expect(stderr).toMatch(
      /no chromium was found: install it \(apt install chromium, or npx playwright-core install chromium\)/,
    )
  } finally {
    process.env['PATH'] = path
  }
  expect(web.paths).toEqual([])
})
