import { afterAll, beforeAll, expect } from 'vitest'
import { spider } from '../../src/wiring/define-spider.ts'
import { runSpider } from '../../src/wiring/run-spider.ts'
import { type ExampleSite, htmlPage } from '../../testing/example-sites/example-site.ts'
import { it, JavaScriptWeb } from './javascript-web.ts'

/** Elements of a design system, one inside another, with slots, a fallback and a closed root. */
const SCRIPT = `
  const define = (name, html, mode = 'open') => customElements.define(name, class extends HTMLElement {
    constructor() { super(); this.attachShadow({ mode }).innerHTML = html }
  })
  define('app-card', '<style>p { color: red }</style><article><h2><slot name="title">No title</slot></h2><slot></slot><a href="/inner">inner</a></article>')
  define('app-page', '<main><app-card><b slot="title"><slot name="title"></slot></b><slot></slot></app-card></main>')
  define('app-secret', '<p>secret</p>', 'closed')
`
const BODY = `<p>before</p><app-page><span slot="title">Bees</span><p>Bees make <a href="/honey">honey</a>.</p><p slot="unused">not shown</p></app-page>
<app-card></app-card><app-secret></app-secret><p>after</p><script>${SCRIPT}</script>`
const DEEP = `<app-card></app-card><script>${SCRIPT}; let at = document.body.appendChild(document.createElement('div')); at.hidden = true; for (let i = 0; i < 8000; i++) at = at.appendChild(document.createElement('div')); at.textContent = 'deep'</script>`

const site: ExampleSite = {
  disallowed: [],
  response: ({ path }) =>
    path === '/' ? htmlPage('Shadow', BODY) : path === '/deep' ? htmlPage('Deep', DEEP) : undefined,
}

let web: JavaScriptWeb
beforeAll(async () => {
  web = await JavaScriptWeb.start(site, '127.0.0.51')
})
afterAll(() => web.close())

it('stores open shadow roots as the browser shows them, and pages that are nested too deeply', async () => {
  const pages = new Map<string, { html: string; text: string; links: string[] }>()
  const { stats } = await runSpider(
    spider({
      ...{ name: 'shadow', start: [`${web.origin}/`, `${web.origin}/deep`], render: 'always' },
      settings: { politeness: { delaySeconds: 0 }, render: { quietSeconds: 0.1 } },
      parse(page) {
        const text = page.text('body').replace(/\s+/g, ' ')
        const links = page.links().map(({ url }) => new URL(url).pathname)
        pages.set(page.text('title'), { html: page.body, text, links })
      },
    }),
  )
  expect(stats.failures).toEqual([])
  const { html = '', text, links } = pages.get('Shadow') ?? {}
  expect(text).toContain('before')
  expect(text).toMatch(/Bees ?Bees make honey\. ?inner ?No title ?inner/)
  expect(text).toContain('after')
  expect(text).not.toMatch(/secret|not shown/)
  expect(links).toEqual(['/honey', '/inner'])
  expect(html.split('<script>')[0]).not.toContain('color: red')
  expect(html).toContain('<app-card><article><h2><b slot="title"><span slot="title">Bees</span></b></h2>')
  expect(pages.has('Deep')).toBe(true)
})
