import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { spider } from '../../src/wiring/define-spider.ts'
import { runSpider } from '../../src/wiring/run-spider.ts'
import { scrollSite } from '../../testing/javascript-sites/scroll-site.ts'
import { it, JavaScriptWeb } from './javascript-web.ts'

let web: JavaScriptWeb
let folder: string
beforeAll(async () => {
  web = await JavaScriptWeb.start(scrollSite, '127.0.0.51')
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-browser-page-'))
})
afterAll(async () => {
  await web.close()
  rmSync(folder, { recursive: true })
})

it('scrolls, clicks, types, and takes pictures, politely', async () => {
  const picture = join(folder, 'page.png')
  const { items, stats } = await runSpider(
    spider({
      ...{ name: 'scroll', start: [`${web.origin}/`], render: 'always' },
      settings: { politeness: { delaySeconds: 0.05 }, render: { quietSeconds: 0.3 } },
      async *parse(page) {
        const before = page.css('.quote').length
        const grown = await page.browser.scrollToEnd()
        await page.update()
        const after = page.css('.quote').length
        await page.browser.click('#more')
        await page.browser.waitFor('#out:not(:empty)')
        await page.update()
        const hidden = page.text('#out')
        await page.browser.fill('input[name=q]', 'rain')
        await page.browser.press('input[name=q]', 'Enter')
        await page.update()
        const found = page.text('#out')
        const sum = await page.browser.evaluate(() => 20 + 22)
        await page.browser.screenshot({ path: picture, fullPage: true })
        const pdf = Buffer.from(await page.browser.pdf())
          .subarray(0, 5)
          .toString()
        yield page.item({ before, grown, after, hidden, found, sum, pdf, url: page.browser.url })
      },
    }),
  )
  expect(stats.failures).toEqual([])
  expect(items).toMatchObject([
    { before: 10, after: 45, hidden: 'The hidden part', found: 'Found rain', sum: 42, pdf: '%PDF-' },
  ])
  expect(readFileSync(picture).subarray(1, 4).toString()).toBe('PNG')
  expect(web.violations(50)).toEqual([])
})

it('says why a page has no browser', async () => {
  const reasons: string[] = []
  const messages = async (render: 'never' | 'always', isolated: boolean) => {
    const module = join(folder, `spider-${render}.ts`)
    const file = `import { spider } from '${new URL('../../src/spider.ts', import.meta.url).pathname}'
export default spider({ name: 'no-browser', start: ['${web.origin}/'], render: '${render}', parse(page) { page.browser } })`
    writeFileSync(module, file)
    const loaded = ((await import(module)) as { default: Parameters<typeof runSpider>[0] }).default
    const { stats } = await runSpider(loaded, {
      isolated,
      module,
      settings: { politeness: { delaySeconds: 0 } },
    })
    reasons.push(...stats.failures.map(({ reason }) => reason))
  }
  await messages('never', false)
  await messages('always', true)
  expect(reasons).toEqual([
    expect.stringMatching(/was not rendered, so it has no page\.browser: set render: 'always'/),
    expect.stringMatching(/page\.browser cannot be used in a thread: run the spider without isolated/),
  ])
})
